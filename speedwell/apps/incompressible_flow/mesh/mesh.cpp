#include "speedwell/apps/incompressible_flow/mesh/mesh.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace speedwell::incompressible_flow {
namespace {

template <class CellPosition>
std::vector<double> faces(int cells, double length, const CellPosition& position) {
  if (cells < 1) throw std::invalid_argument(std::to_string(cells) + " cells: at least 1");
  if (!(length > 0) || !std::isfinite(length))
    throw std::invalid_argument("length " + fmt::format("{:g}", length) + ": it is above 0 and finite");
  std::vector<double> all(static_cast<std::size_t>(cells) + 1);
  for (int j = 0; j <= cells; ++j) all[static_cast<std::size_t>(j)] = length * position(static_cast<double>(j) / cells);
  all.front() = 0;
  all.back() = length;
  return all;
}

void require_positive(double beta) {
  if (!(beta > 0) || !(beta < 50))
    throw std::invalid_argument("beta = " + fmt::format("{:g}", beta) + ": it is above 0 and below 50");
}

}  // namespace

std::vector<double> uniform_faces(int cells, double length) {
  return faces(cells, length, [](double s) { return s; });
}

std::vector<double> two_sided_faces(int cells, double length, double beta) {
  require_positive(beta);
  return faces(cells, length, [=](double s) { return 0.5 * (1 + std::tanh(beta * (2 * s - 1)) / std::tanh(beta)); });
}

std::vector<double> one_sided_faces(int cells, double length, double beta) {
  require_positive(beta);
  return faces(cells, length, [=](double s) { return 1 + std::tanh(beta * (s - 1)) / std::tanh(beta); });
}

std::vector<double> wavy_faces(int cells, double length, double amplitude) {
  if (!(std::abs(amplitude) < 1))
    throw std::invalid_argument("amplitude " + fmt::format("{:g}", amplitude) + ": its magnitude is below 1");
  constexpr double turn = 2 * std::numbers::pi;
  return faces(cells, length, [=](double s) { return s + amplitude / turn * std::sin(turn * s); });
}

}  // namespace speedwell::incompressible_flow

#include "speedwell/apps/incompressible_flow/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace speedwell::incompressible_flow {
namespace {

std::string text(double x) { return fmt::format("{:g}", x); }

constexpr const char* axis_names[] = {"x", "y", "z"};

void require_faces(const std::vector<double>& faces, const std::string& axis) {
  if (faces.size() < 2 || faces.size() - 1 > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw std::invalid_argument(std::to_string(faces.size()) + " faces along " + axis + ": 2 to 2^31");
  for (std::size_t i = 0; i < faces.size(); ++i) {
    if (!std::isfinite(faces[i]))
      throw std::invalid_argument("face " + std::to_string(i) + " along " + axis + " is not finite");
    if (i > 0 && !(faces[i] > faces[i - 1]))
      throw std::invalid_argument("face " + std::to_string(i) + " along " + axis + " at " + text(faces[i]) +
                                  " is not above the previous one");
  }
}

void require_sides(const std::array<Side, 2>& sides, std::size_t axis) {
  const std::string name = axis_names[axis];
  if ((sides[0].edge == Edge::periodic) != (sides[1].edge == Edge::periodic))
    throw std::invalid_argument("one side of " + name + " is periodic and the other is not");
  for (const Side& side : sides)
    for (std::size_t c = 0; c < 3; ++c) {
      if (!std::isfinite(side.velocity[c]))
        throw std::invalid_argument("a wall of " + name + " has no finite velocity");
      if (side.velocity[c] != 0 && (side.edge != Edge::wall || c == axis))
        throw std::invalid_argument("velocity " + text(side.velocity[c]) + " along " + axis_names[c] +
                                    " on a side of " + name + ": only walls move, and only along themselves");
    }
}

void require_strain(const Problem& p) {
  const Strain& s = *p.strain;
  for (int d = 0; d < 3; ++d)
    if (!p.periodic(d)) throw std::invalid_argument("a moving mesh must be periodic along every axis");
  if (!p.solid.empty()) throw std::invalid_argument("a moving mesh must not have solids");
  double sum = 0, largest = 0;
  for (const double rate : s.rates) {
    sum += rate;
    largest = std::max(largest, std::abs(rate));
  }
  if (!std::isfinite(sum) || std::abs(sum) > 1e-14 * largest)
    throw std::invalid_argument("rates of strain that add up to " + text(sum) + ": they are finite, of sum 0");
  if (!(s.begin >= 0) || !(s.end > s.begin) || !std::isfinite(s.end))
    throw std::invalid_argument("strain from " + text(s.begin) + " to " + text(s.end) +
                                ": from 0 at least, to a later time");
  if (largest * (s.end - s.begin) > 3)
    throw std::invalid_argument("a strain of " + text(largest * (s.end - s.begin)) + " in all: at most 3");
}

}  // namespace

std::array<double, 3> Strain::stretch(double time) const {
  const double lasted = std::clamp(time, begin, end) - begin;
  std::array<double, 3> by;
  for (std::size_t d = 0; d < 3; ++d) by[d] = std::exp(rates[d] * lasted);
  return by;
}

Problem at_time(const Problem& problem, double time) {
  Problem now = problem;
  if (!problem.strain) return now;
  const std::array<double, 3> by = problem.strain->stretch(time);
  for (std::size_t d = 0; d < 3; ++d)
    for (double& x : now.faces[d]) x = problem.faces[d].front() + (x - problem.faces[d].front()) * by[d];
  return now;
}

Extents Problem::extents() const {
  const auto cells = [](const std::vector<double>& f) { return f.empty() ? 0 : static_cast<int>(f.size()) - 1; };
  return {cells(faces[0]), cells(faces[1]), cells(faces[2])};
}

bool Problem::uniform(int axis) const {
  const auto& f = faces[static_cast<std::size_t>(axis)];
  const double mean = (f.back() - f.front()) / static_cast<double>(f.size() - 1);
  // A width from a face list in double precision has the rounding error of the largest face.
  const double rounding =
      4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(f.front()), std::abs(f.back()));
  for (std::size_t i = 1; i < f.size(); ++i)
    if (std::abs(f[i] - f[i - 1] - mean) > std::max(1e-12 * mean, rounding)) return false;
  return true;
}

void require_valid(const Problem& problem) {
  for (std::size_t d = 0; d < 3; ++d) {
    require_faces(problem.faces[d], axis_names[d]);
    require_sides(problem.sides[d], d);
    if (!std::isfinite(problem.acceleration[d]))
      throw std::invalid_argument(std::string("the acceleration along ") + axis_names[d] + " is not finite");
  }
  if (!std::isfinite(problem.viscosity) || problem.viscosity < 0)
    throw std::invalid_argument("viscosity " + text(problem.viscosity) + ": it is finite and at least 0");
  const Extents e = problem.extents();
  constexpr std::int64_t max_cells = std::int64_t{1} << 40;
  if (e.nx > max_cells / e.ny || std::int64_t{e.nx} * e.ny > max_cells / e.nz)
    throw std::invalid_argument(std::to_string(e.nx) + " x " + std::to_string(e.ny) + " x " + std::to_string(e.nz) +
                                " cells: at most 2^40 in all");
  if (problem.strain) require_strain(problem);
  for (int d = 0; d < 3; ++d) {
    const auto& bulk = problem.bulk_velocity[static_cast<std::size_t>(d)];
    if (!bulk) continue;
    const std::string name = axis_names[d];
    if (!std::isfinite(*bulk)) throw std::invalid_argument("the bulk velocity along " + name + " is not finite");
    if (!problem.periodic(d)) throw std::invalid_argument("a bulk velocity along " + name + ", which is not periodic");
    if (!problem.solid.empty()) throw std::invalid_argument("a bulk velocity is not for flow around solids");
    if (problem.acceleration[static_cast<std::size_t>(d)] != 0)
      throw std::invalid_argument("a bulk velocity and an acceleration along " + name + ": one of them");
  }
  if (problem.solid.empty()) return;
  if (problem.solid.size() != static_cast<std::size_t>(e.cells()))
    throw std::invalid_argument("a mask of " + std::to_string(problem.solid.size()) + " cells for a mesh of " +
                                std::to_string(e.cells()));
  if (std::all_of(problem.solid.begin(), problem.solid.end(), [](std::uint8_t s) { return s != 0; }))
    throw std::invalid_argument("no cell has fluid in it");
}

std::int64_t fill_pockets(Problem& problem) {
  if (problem.solid.empty()) return 0;
  const Extents e = problem.extents();
  const auto cells = static_cast<std::size_t>(e.cells());
  std::vector<std::int32_t> piece(cells, 0);  // 0: not seen
  std::vector<std::size_t> sizes = {0};
  std::vector<std::array<int, 3>> front;
  const auto visit = [&](int i, int j, int k) {
    const std::size_t n = e.at(i, j, k);
    if (problem.solid[n] || piece[n]) return;
    piece[n] = static_cast<std::int32_t>(sizes.size() - 1);
    ++sizes.back();
    front.push_back({i, j, k});
  };
  for (int k = 0; k < e.nz; ++k)
    for (int j = 0; j < e.ny; ++j)
      for (int i = 0; i < e.nx; ++i) {
        if (problem.solid[e.at(i, j, k)] || piece[e.at(i, j, k)]) continue;
        sizes.push_back(0);
        visit(i, j, k);
        while (!front.empty()) {
          const std::array<int, 3> here = front.back();
          front.pop_back();
          for (int d = 0; d < 3; ++d)
            for (const int to : {-1, 1}) {
              std::array<int, 3> there = here;
              int& n = there[static_cast<std::size_t>(d)];
              n += to;
              if (n < 0 || n >= e.extent(d)) {
                if (!problem.periodic(d)) continue;
                n = n < 0 ? e.extent(d) - 1 : 0;
              }
              visit(there[0], there[1], there[2]);
            }
        }
      }
  const auto largest = std::max_element(sizes.begin(), sizes.end()) - sizes.begin();
  std::int64_t changed = 0;
  for (std::size_t n = 0; n < cells; ++n)
    if (piece[n] != 0 && piece[n] != largest) {
      problem.solid[n] = 1;
      ++changed;
    }
  return changed;
}

template <class T>
State<T>::State(const Extents& e) : extents(e) {
  const auto cells = static_cast<std::size_t>(e.cells());
  for (auto* field : {&velocity[0], &velocity[1], &velocity[2], &pressure}) {
    *field = core::HostBuffer<T>(cells, core::Pages::large);
#pragma omp parallel for schedule(static)
    for (std::size_t n = 0; n < cells; ++n) (*field)[n] = 0;
  }
}

template <class T>
State<T> State<T>::copy() const {
  State other(extents);
#pragma omp parallel for schedule(static)
  for (std::size_t n = 0; n < pressure.size(); ++n) {
    for (std::size_t c = 0; c < 3; ++c) other.velocity[c][n] = velocity[c][n];
    other.pressure[n] = pressure[n];
  }
  other.time = time;
  other.step = step;
  return other;
}

template struct State<float>;
template struct State<double>;

}  // namespace speedwell::incompressible_flow

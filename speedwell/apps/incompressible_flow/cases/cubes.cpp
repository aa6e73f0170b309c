#include "speedwell/apps/incompressible_flow/cases/cubes.hpp"

#include <unistd.h>

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::incompressible_flow {

std::uint64_t Stream::bits() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

namespace {

// Cubes with a total volume of 64 times the mesh leave exp(-64) of it free on average, less than a cell of any mesh.
constexpr double max_cover = 64;

std::array<int, 3> next_corner(Stream& stream, const Extents& extents) {
  std::array<int, 3> corner;
  for (std::size_t d = 0; d < 3; ++d)
    corner[d] = static_cast<int>(stream.uniform() * extents.extent(static_cast<int>(d)));
  return corner;
}

}  // namespace

std::vector<std::array<int, 3>> cube_corners(const Extents& extents, std::uint64_t seed, int count) {
  Stream stream(seed);
  std::vector<std::array<int, 3>> corners;
  for (int n = 0; n < count; ++n) corners.push_back(next_corner(stream, extents));
  return corners;
}

void add_cubes(Problem& problem, std::uint64_t seed, int count, int edge) {
  const Extents e = problem.extents();
  if (count < 0) throw std::invalid_argument(std::to_string(count) + " cubes: at least 0");
  for (int d = 0; d < 3; ++d) {
    if (!problem.periodic(d))
      throw std::invalid_argument("random cubes are for boxes that are periodic along every axis");
    if (edge < 1 || edge > e.extent(d))
      throw std::invalid_argument("cubes of " + std::to_string(edge) + " cells in a box of " +
                                  std::to_string(e.extent(d)));
  }
  const double cells_of_cube = std::pow(static_cast<double>(edge), 3),
               max_cubes = std::floor(max_cover * static_cast<double>(e.cells()) / cells_of_cube);
  if (count > max_cubes)
    throw std::invalid_argument(std::to_string(count) + " cubes of " + std::to_string(edge) + "^3 cells in a mesh of " +
                                std::to_string(e.cells()) + " would leave no cell with fluid; at most " +
                                std::to_string(static_cast<std::int64_t>(max_cubes)) + " are allowed");
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (static_cast<double>(e.cells()) > memory)
    throw core::Unavailable("a mask of " + core::format_bytes(static_cast<double>(e.cells())) + " in a memory of " +
                            core::format_bytes(memory));
  if (problem.solid.empty()) problem.solid.assign(static_cast<std::size_t>(e.cells()), 0);
  Stream stream(seed);
  for (int n = 0; n < count; ++n) {
    const std::array<int, 3> corner = next_corner(stream, e);
    for (int k = corner[2]; k < corner[2] + edge; ++k)
      for (int j = corner[1]; j < corner[1] + edge; ++j)
        for (int i = corner[0]; i < corner[0] + edge; ++i) problem.solid[e.at(i % e.nx, j % e.ny, k % e.nz)] = 1;
  }
}

std::vector<std::array<double, 3>> directions(std::uint64_t seed, int count) {
  Stream stream(seed + 1000);
  std::vector<std::array<double, 3>> all;
  for (int n = 0; n < count; ++n) {
    const double z = 2 * stream.uniform() - 1, phi = 2 * std::numbers::pi * stream.uniform();
    const double r = std::sqrt(1 - z * z);
    all.push_back({r * std::cos(phi), r * std::sin(phi), z});
  }
  return all;
}

}  // namespace speedwell::incompressible_flow

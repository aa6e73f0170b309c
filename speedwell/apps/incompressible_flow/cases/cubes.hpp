// Random cubes and directions of the stirred flow: J. B. Perot, AIP Advances 1 (2011) 022104, with unspecified choices
// made reproducible (README.md).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "speedwell/apps/incompressible_flow/problem.hpp"

namespace speedwell::incompressible_flow {

/// SplitMix64: Steele, Lea, Flood, OOPSLA 2014, as a stream of states.
class Stream {
 public:
  explicit Stream(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits();
  /// Uniform in [0, 1), with 53 bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

/// The cells with the lowest indices of `count` cubes: the floor of three numbers of the seed's stream times the cells
/// along x, y and z.
std::vector<std::array<int, 3>> cube_corners(const Extents& extents, std::uint64_t seed, int count);
/// Makes cubes of `edge` cells solid; they may overlap and wrap around the periodic box. Throws std::invalid_argument
/// for an edge below 1 or above an axis, a negative count, cubes with a total of more than 64 times the mesh's cells,
/// and a box with walls, and core::Unavailable for a mask that exceeds the memory.
void add_cubes(Problem& problem, std::uint64_t seed, int count, int edge);
/// Unit vectors, uniform over the sphere, from the stream of seed + 1000.
std::vector<std::array<double, 3>> directions(std::uint64_t seed, int count);

}  // namespace speedwell::incompressible_flow

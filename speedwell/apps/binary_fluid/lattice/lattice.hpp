// D3Q19: velocities and weights in Ludwig's order, in which the opposite of p is 19 - p.
#pragma once

#include <cstdint>

#include "speedwell/core/host_device.hpp"

namespace speedwell::binary_fluid::lattice {

/// Component d of velocity p. This is a function because device code cannot index a constexpr array.
SPEEDWELL_HD
constexpr int c(int p, int d) {
  constexpr signed char table[19][3] = {{0, 0, 0},  {1, 1, 0},  {1, 0, 1},   {1, 0, 0},   {1, 0, -1},
                                        {1, -1, 0}, {0, 1, 1},  {0, 1, 0},   {0, 1, -1},  {0, 0, 1},
                                        {0, 0, -1}, {0, -1, 1}, {0, -1, 0},  {0, -1, -1}, {-1, 1, 0},
                                        {-1, 0, 1}, {-1, 0, 0}, {-1, 0, -1}, {-1, -1, 0}};
  return table[p][d];
}
SPEEDWELL_HD
constexpr int opposite(int p) { return p == 0 ? 0 : 19 - p; }
SPEEDWELL_HD
constexpr double weight(int p) {
  const int squared = c(p, 0) * c(p, 0) + c(p, 1) * c(p, 1) + c(p, 2) * c(p, 2);
  return squared == 0 ? 12.0 / 36 : squared == 1 ? 2.0 / 36 : 1.0 / 36;
}
/// The index of the velocity (x, y, z); components are -1 to 1, and at least one is 0.
SPEEDWELL_HD
constexpr int number(int x, int y, int z) {
  for (int p = 0; p < 19; ++p)
    if (c(p, 0) == x && c(p, 1) == y && c(p, 2) == z) return p;
  return -1;
}

}  // namespace speedwell::binary_fluid::lattice

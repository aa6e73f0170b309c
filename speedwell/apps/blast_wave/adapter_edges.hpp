// The extents of a mesh as the adapters of this folder take them.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::blast_wave {

/// The edges of a cube, n, or those of a box. Throws std::invalid_argument for a cube below `least`.
inline Extents extents_of(const harness::Problem& p, std::int64_t least) {
  const std::int64_t n = p.get<std::int64_t>("n");
  if (n == 0) return {p.get<std::int64_t>("nx"), p.get<std::int64_t>("ny"), p.get<std::int64_t>("nz")};
  if (n < least)
    throw std::invalid_argument(p.application() + ": n=" + std::to_string(n) + ": the least is " +
                                std::to_string(least) + ", or 0 for nx, ny and nz");
  return {n, n, n};
}

inline harness::Parameter edge_parameter(double most) {
  return harness::hidden(
      harness::integer("n", 0, "points along each axis; 0: nx, ny and nz", {.minimum = 0, .maximum = most}));
}

}  // namespace speedwell::blast_wave

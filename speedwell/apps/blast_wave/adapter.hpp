// Adapter of blast_wave for the harness: its description, sizes and table of variants, and the factories of variants
// that need an optional library.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::blast_wave {

harness::Application application();
/// Factories of the CUDA variants; defined only in builds with CUDA.
std::vector<harness::Binding> cuda_runs();
/// Factories of the variants on ranks; defined only in builds with MPI.
std::vector<harness::Binding> mpi_runs();
/// Factories of the variants on several GPUs; defined only in builds with CUDA and MPI.
std::vector<harness::Binding> multi_runs();
/// Factories of the cuSPARSE variants; defined only in builds with cuSPARSE.
std::vector<harness::Binding> cusparse_runs();

/// The edges of a mesh, here and in block_matvec: those of a cube, n, or of a box. Throws std::invalid_argument for a
/// cube below `least`.
inline Extents extents_of(const harness::Problem& p, std::int64_t least) {
  const std::int64_t n = p.get<std::int64_t>("n");
  if (n == 0) return {p.get<std::int64_t>("nx"), p.get<std::int64_t>("ny"), p.get<std::int64_t>("nz")};
  if (n < least)
    throw std::invalid_argument(p.application() + ": n=" + std::to_string(n) + ": the least is " +
                                std::to_string(least) + ", or 0 for nx, ny and nz");
  return {n, n, n};
}

/// The parameter n.
inline harness::Parameter edge_parameter(double most) {
  return harness::hidden(
      harness::integer("n", 0, "points along each axis; 0: nx, ny and nz", {.minimum = 0, .maximum = most}));
}

}  // namespace speedwell::blast_wave

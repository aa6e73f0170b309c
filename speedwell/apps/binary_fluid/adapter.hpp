// Adapter of binary_fluid for the harness: its description, sizes and table of variants, and the factories of variants
// that need an optional library.
#pragma once

#include <vector>

#include "speedwell/apps/binary_fluid/ladder.hpp"
#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::binary_fluid {

harness::Application application();
/// Factories of the CUDA variants; defined only in builds with CUDA.
std::vector<harness::Binding> cuda_runs();
/// Factories of the MPI variants; defined only in builds with MPI.
std::vector<harness::Binding> mpi_runs();
/// Factories of the variants on several GPUs; defined only in builds with CUDA and MPI.
std::vector<harness::Binding> multi_runs();

/// The work of the best known algorithm. README.md, section Limits, derives its bytes and operations and those below.
harness::Work best_work(const Problem& problem, Precision precision);
/// The work of CpuSolver with `method`: moments if they represent the state, otherwise propagation in place.
harness::Work host_work(Method method, const Problem& problem, Precision precision);
/// The work of the GPU variant `step` with `method`, which need not be the variant's default.
harness::Work gpu_work(const Step& step, Method method, const Problem& problem, Precision precision);

}  // namespace speedwell::binary_fluid

// Bytes and operations of the variants of binary_fluid, derived in README.md, section Limits.
#pragma once

#include "speedwell/apps/binary_fluid/ladder.hpp"
#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::binary_fluid {

/// The work of the best known algorithm.
harness::Work best_work(const Problem& problem, Precision precision);
/// The work of CpuSolver with `method`: moments if they represent the state, otherwise propagation in place.
harness::Work host_work(Method method, const Problem& problem, Precision precision);
/// The work of the GPU variant `step` with `method`, which need not be the variant's default.
harness::Work gpu_work(const Step& step, Method method, const Problem& problem, Precision precision);

}  // namespace speedwell::binary_fluid

// What the variants of binary_fluid move and compute: README, section Limits.
#pragma once

#include "speedwell/apps/binary_fluid/ladder.hpp"
#include "speedwell/harness/application.hpp"

namespace speedwell::binary_fluid {

/// Of the best algorithm known.
harness::Work best_work(const Problem& problem, Precision precision);
/// Of CpuSolver by `method`: moments where they are enough, else in place.
harness::Work host_work(Method method, const Problem& problem, Precision precision);
/// Of a GPU's step by `method`, which may not be the step's own.
harness::Work gpu_work(const Step& step, Method method, const Problem& problem, Precision precision);

}  // namespace speedwell::binary_fluid

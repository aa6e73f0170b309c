// Takes a variant on several GPUs through all phases of a run, on all ranks of a launch.
#pragma once

#include <memory>

#include "tests/apps/lifecycle.hpp"
#include "tests/support/device_ranks.hpp"

namespace speedwell::harness {

/// Collective, after test::set_device_of_rank(). The answer is on the first rank.
inline std::unique_ptr<Run> completed_run_on_ranks(const Application& application, const Variant& variant,
                                                   const Problem& problem) {
  Context context{.ranks = &test::ranks()};
  core::check(cudaGetDevice(&context.device));
  const bool whole = context.ranks->rank() == 0 || !application.prepare_rank;
  return completed(variant.make(whole ? application.prepare(problem) : application.prepare_rank(problem), context));
}

}  // namespace speedwell::harness

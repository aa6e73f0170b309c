// What the runs of SSCA#1 on ranks and on several GPUs have in common.
#pragma once

#include "speedwell/apps/ssca1/adapter_workload.hpp"
#include "speedwell/apps/ssca1/distributed.hpp"

namespace speedwell::ssca1 {

inline KernelArguments arguments_of(const Ssca1Workload& w) {
  return {.kernel = w.kernel,
          .main = w.main(),
          .match = w.match(),
          .scoring = &w.scoring,
          .endpoint_rules = w.problem.endpoints,
          .endpoints = w.endpoints,
          .trace_rules = w.problem.traces,
          .queries = w.queries,
          .similar_rules = w.problem.similar,
          .sets = w.sets,
          .differences = w.differences,
          .costs = w.problem.costs};
}

}  // namespace speedwell::ssca1

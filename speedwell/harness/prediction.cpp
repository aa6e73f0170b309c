#include "speedwell/harness/prediction.hpp"

#include <fmt/format.h>

#include <exception>

#include "speedwell/harness/measurement/lockstep.hpp"
#include "speedwell/harness/problems.hpp"

namespace speedwell::harness {

void predict(Outcome& o, const Context& context, const ExecutionEnvironment& environment) {
  if (o.status != Status::passed || !o.variant->predict) return;
  const Lockstep ranks(environment.ranks);
  if (ranks.any(environment.stop->load())) {
    o.prediction_reason = "stopped before it was made";
    return;
  }
  if (environment.progress) environment.progress(fmt::format("{}: {}, its model", key_of(o.problem), o.variant->name));
  try {
    o.prediction = o.variant->predict(o.problem, context);
  } catch (const std::exception& e) {
    if (ranks.is_parallel()) throw;  // the other ranks wait
    o.prediction_reason = e.what();
  }
}

}  // namespace speedwell::harness

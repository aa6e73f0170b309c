// Outcomes of variants that were not run, for the tests of what is printed of them.
#pragma once

#include "speedwell/harness/measurement/experiment.hpp"
#include "speedwell/harness/problems.hpp"

namespace speedwell::harness {

/// The outcome of a variant that passed on the first problem of size test, with one execute of `seconds` in each of
/// `passes` passes. `application` and `variant` must outlive it.
inline Outcome passed_outcome(const Application& application, const Variant& variant, DeviceKind device, double seconds,
                              int passes) {
  Outcome o;
  o.application = &application;
  o.variant = &variant;
  o.problem = problems(application, find_size(application, "test"), {}, 1).front();
  o.status = Status::passed;
  o.device = device;
  for (int pass = 0; pass < passes; ++pass) o.execute.push_back({seconds, pass, false, {}});
  return o;
}

}  // namespace speedwell::harness

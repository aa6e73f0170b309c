// The answer of `suite`: one row per application, why each ratio is what it is, and a closing sentence.
#pragma once

#include <string>
#include <vector>

#include "speedwell/harness/measurement/experiment.hpp"
#include "speedwell/harness/report/recorded.hpp"

namespace speedwell::harness::report {

/// One problem of an application, and its own words for it.
struct HeadlineRow {
  std::string problem;  // "triad, 256 MiB arrays"
  std::vector<Outcome> outcomes;
};

/// A table of at most 100 columns: one core, all cores and the GPU (median execute times), how many times faster the
/// GPU is, executing and end to end, and what share of its limit. Without a GPU: one core against all cores, and what
/// the GPU of `known` took for the same problems. Then one sentence per application, the reasons of what did not
/// run, each once, and a closing sentence.
std::string answer(const std::vector<HeadlineRow>& rows, const machine::Machine& machine,
                   const Recorded& known = recorded());

}  // namespace speedwell::harness::report

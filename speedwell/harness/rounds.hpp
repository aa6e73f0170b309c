// How the passes of a run that has a budget of time are spread over its variants.
#pragma once

#include <optional>
#include <vector>

namespace speedwell::harness {

/// A variant of one of the problems that has not made all its passes.
struct PendingVariant {
  double pass_seconds = 0;  // of its last pass, without what the first pass alone does
  int passes = 0;
};

/// The longest pass that the next round may contain; nothing where no pass fits into `seconds_left`. In a round, every
/// pending variant whose passes are not longer makes one. The shortest passes come first, until they are enough for an
/// interval (`enough` of them), so that a few slow variants do not take the intervals of all others; what is left after
/// that is for the slow ones.
std::optional<double> longest_pass_of_next_round(std::vector<PendingVariant> pending, int enough, double seconds_left);

}  // namespace speedwell::harness

// The times of outcomes that tables compare, and the outcome that is fastest by one of them.
#pragma once

#include <vector>

#include "speedwell/core/statistics.hpp"
#include "speedwell/harness/measurement/experiment.hpp"

namespace speedwell::harness {

/// Whether an outcome has times: only then may the functions below be called with it.
inline bool timed(const Outcome& o) { return o.status == Status::passed && !o.execute.empty(); }

/// The medians of an outcome in seconds: of execute, and end to end.
inline double execute_seconds(const Outcome& o) { return median_seconds(o.execute); }
inline double total_seconds(const Outcome& o) { return core::median(o.end_to_end); }

/// One of these two functions.
using Seconds = double(const Outcome&);

/// The fastest of the timed outcomes for which counts(outcome) is true; null if there is none.
template <class Counts>
const Outcome* fastest_of(const std::vector<Outcome>& outcomes, Seconds* seconds, const Counts& counts) {
  const Outcome* best = nullptr;
  for (const Outcome& o : outcomes)
    if (timed(o) && counts(o) && (!best || seconds(o) < seconds(*best))) best = &o;
  return best;
}

}  // namespace speedwell::harness

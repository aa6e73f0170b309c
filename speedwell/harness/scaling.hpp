// Scaling: the times of one variant on several numbers of ranks or GPUs, and what they say. A run on each number is a
// process of its own, started by a launcher, of which the records remain.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/harness/division_model.hpp"
#include "speedwell/harness/records/record_reader.hpp"

namespace speedwell::harness {

enum class Scaling {
  strong,  // one problem on all numbers
  weak,    // a problem that grows with them
};

/// A number of ranks, each on a core or a GPU, and the records of its runs.
struct ScalingPoint {
  int ranks = 1;
  records::Run run;                      // of the variant on ranks
  std::optional<records::Run> compared;  // of one process: on as many threads, or on one GPU, where there is one
};

/// Times over those of the first point.
struct ScalingFigures {
  double speedup = 0;     // of the rate of updates
  double efficiency = 0;  // the speed-up over the ratio of the numbers of ranks: 1 is perfect, strong and weak
  std::optional<std::pair<double, double>> efficiency_interval;  // from the intervals of both medians, at its widest
  std::optional<double> exposed;                                 // share of execute that is communication
  std::optional<double> over_compared;                           // rate of updates over that of the one process
};

/// Nothing for a run that was not timed, or if the first one was not.
std::optional<ScalingFigures> figures_of(const ScalingPoint& first, const ScalingPoint& point);

/// A number of ranks or GPUs for which a time is predicted, or why there is none.
struct PredictedPoint {
  int ranks = 1;
  double updates = 0;  // of an execute
  std::optional<PredictedTime> time;
  std::string reason;
};

/// What a table and its sentence call the points.
struct ScalingWords {
  std::string unit = "rank";  // or GPU
  std::string compared = {};  // heading of the ratio to the one process; empty: no such column
};

/// A table with a row for each point: their number, time, its interval, speed-up, efficiency, rate of each,
/// communication that is not hidden, the ratio to the one process, and the verdict. Predicted rows follow, marked so.
std::string scaling_table(const std::vector<ScalingPoint>& points, const ScalingWords& words,
                          const std::vector<PredictedPoint>& predicted = {});

/// A sentence: at which numbers how much of the first one's efficiency is left, and what was not hidden. Empty
/// for fewer than two timed points.
std::string scaling_summary(const std::vector<ScalingPoint>& points, Scaling scaling, const ScalingWords& words = {});

}  // namespace speedwell::harness

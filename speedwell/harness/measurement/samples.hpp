// Timed samples and what is said of them. Samples of one pass share its memory, its state of the machine and its place
// in time, so they are not independent of each other: statistics are those of the passes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "speedwell/core/statistics.hpp"

namespace speedwell::harness {

/// Fewer passes give no 95 % interval of the median (core::median_interval()): so many are made if time allows.
inline constexpr int passes_for_an_interval = 6;
/// The largest number of passes whose interval is their whole range, from the smallest to the largest median, which
/// contains the true median with a probability of 99.2 %. For 9 passes it extends from the second to the last but one.
/// The whole range says most about the differences between runs.
inline constexpr int passes_of_the_widest_interval = 8;
/// Results of fewer passes are marked in tables and reports.
inline constexpr std::size_t passes_of_a_published_figure = 5;

/// One timed execute.
struct Sample {
  double seconds = 0;
  int pass = 0;                  // from 0; samples stand in the order in which they were taken
  bool throttled = false;        // the sensors found the device throttled just before or after it
  std::optional<int> clock_MHz;  // the last reading before it ended
};

/// The median of each pass, in order. Samples marked as throttled count only if all of them are.
std::vector<double> pass_medians(std::span<const Sample> samples);

/// median: the median of the medians of the passes. interval: 95 %, from the order statistics of those medians, so that
/// it contains what differs between passes; it takes at least six passes. p5 and p95: of the samples, with n of them.
/// Throws std::invalid_argument if there are none.
core::Summary summarize(std::span<const Sample> samples);

/// The median of summarize(), alone.
double median_seconds(std::span<const Sample> samples);

/// How many of the samples are marked as throttled, and in how many passes all samples were taken.
std::size_t throttled_count(std::span<const Sample> samples);
std::size_t pass_count(std::span<const Sample> samples);

}  // namespace speedwell::harness

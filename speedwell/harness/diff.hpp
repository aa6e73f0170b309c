// Two sets of records held against each other: what became faster or slower, and how sure that is.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "speedwell/harness/record_reader.hpp"

namespace speedwell::harness::diff {

enum class Change { faster, slower, same, unclear };
std::string_view to_string(Change change);

/// Which time is compared.
enum class Phase { execute, end_to_end };

struct Options {
  Phase phase = Phase::execute;
  double alpha = 0.01;   // chance of any wrong "faster" or "slower" among all comparisons, if nothing changed
  double margin = 0.02;  // "same": the whole interval of the ratio lies within 1 +- margin
};

/// One run that stands, passed, on both sides: same application, problem (key), variant and device.
struct Comparison {
  std::string key, variant, device;
  double base = 0, next = 0;                          // medians, seconds
  double ratio = 1;                                   // next / base: above 1 is slower
  std::optional<std::pair<double, double>> interval;  // 95 % of the ratio, by the percentile bootstrap
  double p = 1;                                       // two-sided, Mann-Whitney
  double p_corrected = 1;                             // Holm, over all comparisons of this call
  Change change = Change::unclear;
  std::string note;  // why nothing can be said, if so
};

/// A run on both sides that passed on one of them alone.
struct StatusChange {
  std::string key, variant, device;
  records::Status base, next;
  std::string reason;  // of the side that did not pass
};

struct Result {
  std::vector<Comparison> comparisons;  // in the order of `base`
  std::vector<StatusChange> status_changes;
  std::vector<std::string> only_in_base, only_in_next;  // "key variant device"
  bool machines_differ = false;                         // some comparison is between different kinds of machine
};

/// Compares the runs of `base` with those of `next`. Of several records of one run the latest session counts. Samples
/// of one side are taken as independent; what moves whole sessions (another temperature, another layout in memory) is
/// not noise to this test, so a small confirmed change can still be the session's. Throws std::invalid_argument if
/// alpha is not in (0, 1) or margin is negative.
Result compare(const std::vector<records::Document>& base, const std::vector<records::Document>& next,
               const Options& options = {});

/// The condition of `--fail-on`: "slower" or "slower:PCT" (a number of percent, at least 0).
struct FailOn {
  double percent = 0;
  /// Throws std::invalid_argument for anything else.
  static FailOn parse(std::string_view text);
};
/// Whether a confirmed slowdown stands in `result` whose whole interval is above 1 + percent / 100. Inconclusive
/// comparisons never count.
bool fails(const Result& result, const FailOn& condition);

/// A table for terminals, then what has no counterpart; ends with one line of counts.
std::string text(const Result& result, const Options& options = {});
/// One JSON document, "schema": "speedwell-diff/1".
std::string json(const Result& result, const Options& options = {});

/// Two-sided p-value of the Mann-Whitney test that neither side tends to be larger: exact if there are no ties and both
/// sides have at most 20 values, else by the normal approximation with correction for ties and continuity. 1 if either
/// side is empty. Mann and Whitney (1947); Conover, Practical Nonparametric Statistics, 5.1.
double mann_whitney_p(const std::vector<double>& a, const std::vector<double>& b);

/// Holm's step-down correction (1979): p-values that may be compared with alpha one by one. Same order as given.
std::vector<double> holm(const std::vector<double>& p);

}  // namespace speedwell::harness::diff

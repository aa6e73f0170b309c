// Statistics of timed samples: order statistics only, which single disturbed samples do not affect.
#pragma once

#include <optional>
#include <span>
#include <utility>

namespace speedwell::core {

/// The p-quantile (0 <= p <= 1) by linear interpolation between order statistics. Throws std::invalid_argument if
/// empty.
double quantile(std::span<const double> samples, double p);
double median(std::span<const double> samples);

/// The 95 % confidence interval of the median, from order statistics (binomial; no assumption about the distribution).
/// Nothing below 6 samples, where no such interval exists. Conover, Practical Nonparametric Statistics, 3.2.
std::optional<std::pair<double, double>> median_interval(std::span<const double> samples);

/// The summary of the samples of one phase for a record.
struct Summary {
  double median = 0;
  std::optional<std::pair<double, double>> interval;
  double p5 = 0, p95 = 0;
  std::size_t n = 0;
};
/// Throws std::invalid_argument if empty.
Summary summarize(std::span<const double> samples);

}  // namespace speedwell::core

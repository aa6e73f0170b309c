// Statistics of timed samples: order statistics only, which single disturbed samples do not affect.
#pragma once

#include <optional>
#include <span>
#include <utility>

namespace speedwell::core {

/// The p-quantile, 0 <= p <= 1, by linear interpolation between order statistics. Throws std::invalid_argument if p is
/// not in that range or there are no samples.
double quantile(std::span<const double> samples, double p);
/// Throws std::invalid_argument if there are no samples.
double median(std::span<const double> samples);

/// The 95 % confidence interval of the median, from order statistics (binomial; no assumption about the distribution).
/// Returns nothing for fewer than 6 samples, for which no such interval exists. W. J. Conover, Practical Nonparametric
/// Statistics, section 3.2.
std::optional<std::pair<double, double>> median_interval(std::span<const double> samples);

/// The summary of the samples of one phase for a record, in the unit of the samples.
struct Summary {
  double median = 0;
  std::optional<std::pair<double, double>> interval;  // median_interval()
  double p5 = 0, p95 = 0;                             // 5 % and 95 % quantiles
  std::size_t n = 0;                                  // number of samples
};
/// Throws std::invalid_argument if there are no samples.
Summary summarize(std::span<const double> samples);

}  // namespace speedwell::core

#include "speedwell/core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace speedwell::core {
namespace {

std::vector<double> sorted(std::span<const double> samples) {
  if (samples.empty()) throw std::invalid_argument("statistics: there are no samples");
  std::vector<double> s(samples.begin(), samples.end());
  std::sort(s.begin(), s.end());
  return s;
}

// The p-quantile of sorted samples by linear interpolation (type 7 of Hyndman and Fan, The American Statistician
// 50 (1996) 361).
double quantile_of_sorted(const std::vector<double>& s, double p) {
  const double position = p * static_cast<double>(s.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const auto above = std::min(below + 1, s.size() - 1);
  return s[below] + (position - static_cast<double>(below)) * (s[above] - s[below]);
}

// The largest rank r, counted from 0, such that the interval from s[r] to s[n - 1 - r] contains the median with a
// probability of at least 95 %; nothing below 6 samples, where even that of the extremes is lower. The median is below
// s[r] if at most r samples are below the median; their number has the binomial distribution B(n, 1/2). Hence r is the
// largest number with P(B(n, 1/2) <= r) <= 2.5 %, computed exactly for n < 200 and by the normal approximation above.
std::optional<std::size_t> lower_rank(std::size_t n) {
  if (n < 6) return std::nullopt;
  if (n >= 200) {
    // B(n, 1/2) has the mean n / 2 and the standard deviation sqrt(n) / 2; 0.98 is half of the 97.5 % quantile, 1.96,
    // of the normal distribution. The formula gives a rank counted from 1.
    const double r = 0.5 * static_cast<double>(n) - 0.98 * std::sqrt(static_cast<double>(n));
    return static_cast<std::size_t>(std::floor(r)) - 1;
  }
  double probability = std::pow(0.5, static_cast<double>(n));  // P(B(n, 1/2) = k), beginning with k = 0
  double tail = 0;                                             // P(B(n, 1/2) < k)
  std::size_t rank = 0;
  for (std::size_t k = 0; tail + probability <= 0.025; ++k) {
    tail += probability;
    rank = k;
    probability *= static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  return rank;
}

}  // namespace

double quantile(std::span<const double> samples, double p) {
  if (!(p >= 0 && p <= 1))
    throw std::invalid_argument("statistics: a quantile must be between 0 and 1, got " + std::to_string(p));
  return quantile_of_sorted(sorted(samples), p);
}

double median(std::span<const double> samples) { return quantile(samples, 0.5); }

std::optional<std::pair<double, double>> median_interval(std::span<const double> samples) {
  const auto rank = lower_rank(samples.size());
  if (!rank) return std::nullopt;
  const auto s = sorted(samples);
  return std::pair{s[*rank], s[s.size() - 1 - *rank]};
}

Summary summarize(std::span<const double> samples) {
  const auto s = sorted(samples);
  return {quantile_of_sorted(s, 0.5), median_interval(samples), quantile_of_sorted(s, 0.05),
          quantile_of_sorted(s, 0.95), s.size()};
}

}  // namespace speedwell::core

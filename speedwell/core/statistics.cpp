#include "speedwell/core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace speedwell::core {
namespace {

std::vector<double> sorted(std::span<const double> samples) {
  if (samples.empty()) throw std::invalid_argument("statistics of no samples");
  std::vector<double> s(samples.begin(), samples.end());
  std::sort(s.begin(), s.end());
  return s;
}

double quantile_of_sorted(const std::vector<double>& s, double p) {
  const double position = p * static_cast<double>(s.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const auto above = std::min(below + 1, s.size() - 1);
  return s[below] + (position - static_cast<double>(below)) * (s[above] - s[below]);
}

// The largest rank r (from 0) such that [s[r], s[n-1-r]] covers the median with at least 95 %:
// P(Binomial(n, 1/2) <= r - 1 ... ) summed exactly for small n, by the normal approximation from 200 on.
std::optional<std::size_t> lower_rank(std::size_t n) {
  if (n < 6) return std::nullopt;
  if (n >= 200) {
    const double r = 0.5 * static_cast<double>(n) - 0.98 * std::sqrt(static_cast<double>(n));
    return static_cast<std::size_t>(std::floor(r)) - 1;
  }
  double probability = std::pow(0.5, static_cast<double>(n));  // that exactly k of n are below the median, for k = 0
  double tail = 0;
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
  if (!(p >= 0 && p <= 1)) throw std::invalid_argument("a quantile lies between 0 and 1");
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

#include "speedwell/machine/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "speedwell/core/error.hpp"
#include "speedwell/core/statistics.hpp"

namespace speedwell::machine {
namespace {

// The best samples, best first.
std::vector<double> best_of(std::vector<double> samples, bool smaller_is_better) {
  std::sort(samples.begin(), samples.end());
  if (!smaller_is_better) std::reverse(samples.begin(), samples.end());
  samples.resize(std::min(samples.size(), best_samples));
  return samples;
}

}  // namespace

bool agree(std::vector<double> samples, bool smaller_is_better) {
  const std::vector<double> best = best_of(std::move(samples), smaller_is_better);
  return std::abs(best.front() - best.back()) <= ceiling_tolerance * core::median(best);
}

Ceiling make_ceiling(std::string name, std::string unit, std::vector<double> samples, std::string note) {
  for (const double sample : samples)
    if (!(std::isfinite(sample) && sample > 0))
      throw core::DeviceError("ceiling " + name + ": a sample of " + std::to_string(sample) + " " + unit);
  if (samples.empty()) throw std::invalid_argument("ceiling " + name + " has no samples");
  const std::vector<double> best = best_of(samples, unit == "us");
  const auto [low, high] = std::minmax(best.front(), best.back());
  return {std::move(name), core::median(best), std::move(unit), low, high, std::move(samples), std::move(note)};
}

}  // namespace speedwell::machine

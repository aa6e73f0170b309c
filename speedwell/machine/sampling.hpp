// Computes a ceiling from samples. CUDA sources include this, so that it includes little.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "speedwell/machine/ceilings.hpp"

namespace speedwell::machine {

/// The number of best samples that define a ceiling: the smallest latencies, in us, or the largest rates.
inline constexpr std::size_t best_samples = 5;

/// The median of the best samples with the worst and the best of them. Throws std::invalid_argument if there are none,
/// and core::DeviceError if one is not a positive finite number.
Ceiling make_ceiling(std::string name, std::string unit, std::vector<double> samples, std::string note = {});

/// The number of samples of each ceiling.
constexpr int sample_count(Effort effort) { return effort == Effort::quick ? 7 : 11; }

/// Whether the best of `samples` agree within ceiling_tolerance.
bool agree(std::vector<double> samples, bool smaller_is_better);

/// Takes sample_count samples, and more until the best of them agree or the effort's time for one ceiling is over;
/// fewer, but at least five, if the machine is so slow or busy that sample_count samples take longer. `sample` returns
/// one.
template <class Sample>
std::vector<double> take_samples(Effort effort, const Sample& sample, bool smaller_is_better = false) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::milliseconds(effort == Effort::quick ? 300 : 1000);
  std::vector<double> samples;
  const auto enough = [&] {
    if (samples.size() < best_samples) return false;
    if (Clock::now() >= until) return true;
    return samples.size() >= static_cast<std::size_t>(sample_count(effort)) && agree(samples, smaller_is_better);
  };
  while (!enough()) samples.push_back(sample());
  return samples;
}

}  // namespace speedwell::machine

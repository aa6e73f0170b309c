// From samples to a ceiling. Light: CUDA sources include it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "speedwell/machine/ceilings.hpp"

namespace speedwell::machine {

/// The median of `samples` with its 95 % interval. Throws std::invalid_argument if there are none, and
/// core::DeviceError if one is not a positive finite number.
Ceiling make_ceiling(std::string name, std::string unit, std::vector<double> samples, std::string note = {});

/// How many samples are taken of each ceiling.
constexpr int sample_count(Effort effort) { return effort == Effort::quick ? 7 : 11; }

/// Takes sample_count samples, or fewer on a machine so slow or busy that they would take more than the effort's time
/// for one ceiling; three at least. `sample` returns one.
template <class Sample>
std::vector<double> take_samples(Effort effort, const Sample& sample) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::milliseconds(effort == Effort::quick ? 150 : 500);
  std::vector<double> samples;
  for (int i = 0; i < sample_count(effort) && (i < 3 || Clock::now() < until); ++i) samples.push_back(sample());
  return samples;
}

}  // namespace speedwell::machine

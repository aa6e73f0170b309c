#include "speedwell/harness/measurement/samples.hpp"

#include <algorithm>

namespace speedwell::harness {
namespace {

// The samples that a summary is made of.
std::vector<Sample> counted(std::span<const Sample> samples) {
  std::vector<Sample> kept;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(kept), [](const Sample& s) { return !s.throttled; });
  if (kept.empty()) kept.assign(samples.begin(), samples.end());
  return kept;
}

std::vector<double> medians_of(const std::vector<Sample>& samples) {
  std::vector<double> medians, pass;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    pass.push_back(samples[i].seconds);
    if (i + 1 < samples.size() && samples[i + 1].pass == samples[i].pass) continue;
    medians.push_back(core::median(pass));
    pass.clear();
  }
  return medians;
}

}  // namespace

std::vector<double> pass_medians(std::span<const Sample> samples) { return medians_of(counted(samples)); }

core::Summary summarize(std::span<const Sample> samples) {
  const std::vector<Sample> kept = counted(samples);
  std::vector<double> seconds;
  for (const Sample& s : kept) seconds.push_back(s.seconds);
  core::Summary summary = core::summarize(seconds);
  const std::vector<double> medians = medians_of(kept);
  summary.median = core::median(medians);
  summary.interval = core::median_interval(medians);
  return summary;
}

double median_seconds(std::span<const Sample> samples) { return core::median(pass_medians(samples)); }

std::size_t throttled_count(std::span<const Sample> samples) {
  return static_cast<std::size_t>(
      std::count_if(samples.begin(), samples.end(), [](const Sample& s) { return s.throttled; }));
}

std::size_t pass_count(std::span<const Sample> samples) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (i == 0 || samples[i].pass != samples[i - 1].pass) ++count;
  return count;
}

}  // namespace speedwell::harness

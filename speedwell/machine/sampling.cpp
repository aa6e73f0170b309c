#include "speedwell/machine/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "speedwell/core/error.hpp"
#include "speedwell/core/statistics.hpp"

namespace speedwell::machine {

Ceiling make_ceiling(std::string name, std::string unit, std::vector<double> samples, std::string note) {
  for (const double sample : samples)
    if (!(std::isfinite(sample) && sample > 0))
      throw core::DeviceError("ceiling " + name + ": a sample of " + std::to_string(sample) + " " + unit);
  const core::Summary summary = core::summarize(samples);
  const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
  const auto [low, high] = summary.interval.value_or(std::pair{*least, *most});
  return {std::move(name), summary.median, std::move(unit), low, high, std::move(samples), std::move(note)};
}

}  // namespace speedwell::machine

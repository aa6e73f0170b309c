// From samples to a ceiling. Light: CUDA sources include it.
#pragma once

#include <string>
#include <vector>

#include "speedwell/machine/ceilings.hpp"

namespace speedwell::machine {

/// The median of `samples` with its 95 % interval. Throws std::invalid_argument if there are none, and
/// core::DeviceError if one is not a positive finite number.
Ceiling make_ceiling(std::string name, std::string unit, std::vector<double> samples, std::string note = {});

/// How many samples are taken of each ceiling.
constexpr int sample_count(Effort effort) { return effort == Effort::quick ? 7 : 11; }

}  // namespace speedwell::machine

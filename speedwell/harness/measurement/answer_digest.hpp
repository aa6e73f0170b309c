// A digest of the bits of a run's outputs: equal answers of two executes need the oracle only once.
#pragma once

#include <string>
#include <vector>

#include "speedwell/harness/measurement/run.hpp"

namespace speedwell::harness {

/// The XXH3 hash of the outputs, one after the other, as "xxh3:" and 16 hexadecimal digits. It depends on the bits of
/// the outputs and on their order, not on the number of threads, which share the work.
std::string answer_digest(const std::vector<Output>& outputs);

}  // namespace speedwell::harness

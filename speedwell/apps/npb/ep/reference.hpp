// The oracle for problems without published results.
#pragma once

#include "speedwell/apps/npb/ep/ep.hpp"

namespace speedwell::npb::ep {

/// Evaluates the definition pair by pair, in extended precision if the platform has it. It shares no code, not even the
/// generator, with the implementations that it verifies.
Result reference(const Problem& problem);

}  // namespace speedwell::npb::ep

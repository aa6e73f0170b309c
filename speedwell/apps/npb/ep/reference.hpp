// The oracle where there is no published answer.
#pragma once

#include "speedwell/apps/npb/ep/ep.hpp"

namespace speedwell::npb::ep {

/// The definition word for word, pair after pair, in extended precision where the platform has it. Shares nothing with
/// what it judges, the generator included.
Result reference(const Problem& problem);

}  // namespace speedwell::npb::ep

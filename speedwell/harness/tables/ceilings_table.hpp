// Measured ceilings as text: the table and the CSV of the command machine.
#pragma once

#include <string>

#include "speedwell/machine/ceilings.hpp"

namespace speedwell::harness {

/// A line for each ceiling: name, what it is, unit, value, its interval, samples, and whether it is not stable.
std::string ceilings_table(const machine::Ceilings& ceilings);

/// The same in CSV, RFC 4180.
std::string ceilings_csv(const machine::Ceilings& ceilings);

}  // namespace speedwell::harness

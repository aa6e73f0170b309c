// Colours of terminals for the verdicts of tables.
#pragma once

#include <string>

namespace speedwell::harness {

/// A table whose rows end with a verdict, with that in a colour of terminals: what has passed green, what was not
/// measured or was under load yellow, what has failed red.
std::string with_colors(const std::string& table);

}  // namespace speedwell::harness

// Histories: text files of lines whose second column is the step.
#pragma once

#include <cstdint>
#include <string>

namespace speedwell::simulation {

/// A history, or another text that a run has written itself. Throws io::InputError input.open.
std::string read_text(const std::string& path);

/// Keeps the header and the lines of a history, whose second column is the step, up to `last_step`; a file that is
/// missing or empty becomes `header`. Throws io::OutputError.
void cut_history(const std::string& path, const std::string& header, std::int64_t last_step);

}  // namespace speedwell::simulation

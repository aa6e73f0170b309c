// Histories: text files of lines whose second column is the step.
#pragma once

#include <cstdint>
#include <string>

namespace speedwell::simulation {

/// Reads a history, or another text file that a run has written. Throws io::InputError input.open.
std::string read_text(const std::string& path);

/// Truncates a history, whose second column is the step, after `last_step`; a missing or empty file becomes `header`.
/// Throws io::OutputError.
void cut_history(const std::string& path, const std::string& header, std::int64_t last_step);

}  // namespace speedwell::simulation

// What a run goes on from: the newest checkpoint, and histories up to there.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "speedwell/io/checkpoint.hpp"

namespace speedwell::cli {

/// Throws io::InputError input.open.
std::string read_text(const std::string& path);

/// Calls read(checkpoint, details) for the newest checkpoint in a folder that is whole; one that is not costs a
/// warning. Throws io::InputError where there is none, where it was made with other settings than these, and what
/// read() throws of the last one.
void resume_from(const std::string& folder, const std::map<std::string, std::string>& settings,
                 const std::function<void(const io::Checkpoint&, const nlohmann::json&)>& read, std::ostream& err);

/// Keeps the header and the lines of a history, whose second column is the step, up to `last_step`; a file that is
/// missing or empty becomes `header`. Throws io::OutputError.
void cut_history(const std::string& path, const std::string& header, std::int64_t last_step);

}  // namespace speedwell::cli

// What a run came to: of experiments, and of records that are read.
#pragma once

#include <string>

namespace speedwell::harness {

/// failed: the answer was wrong; error: the run threw.
enum class Status { passed, failed, skipped, error };
/// The name in records and tables. Throws std::logic_error for a value that is none of these.
std::string to_string(Status status);

}  // namespace speedwell::harness

// Version, build and machine, as for a bug report.
#pragma once

#include <string>

#include "speedwell/harness/records/record.hpp"

namespace speedwell::harness {

/// Lines of a key and a value. `ranks`: of this launch.
std::string info_text(const machine::Machine& machine, int ranks);

/// A document of records without runs, and what the text has besides.
Json info_document(const machine::Machine& machine, int ranks, const Session& session);

}  // namespace speedwell::harness

// Records as CSV (RFC 4180): one row for each run, a header always, columns named as in the JSON with dots between.
#pragma once

#include <string>
#include <vector>

#include "speedwell/harness/records/record_reader.hpp"

namespace speedwell::harness {

/// Lines end in CR LF. A missing value is an empty field. Intervals and ranges have a column for each end (".0", ".1");
/// samples stand in one field with blanks between. The columns of problems and choices are those that any run has.
std::string csv(const std::vector<records::Document>& documents);

}  // namespace speedwell::harness

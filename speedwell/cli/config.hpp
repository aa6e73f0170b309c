// Configuration files: TOML, `schema = 1` and one table of parameters per application.
#pragma once

#include <string>
#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::cli {

/// The values that the table of `application` sets, in the file's order; an array gives a key several values. The whole
/// file is checked: a table that is no application's and a key that is no parameter of its application are refused at
/// their place, whichever application runs. Throws io::InputError for what is not TOML, UsageError for names and
/// values.
std::vector<harness::Sweep> read_config(const std::string& file, const harness::Application& application);

}  // namespace speedwell::cli

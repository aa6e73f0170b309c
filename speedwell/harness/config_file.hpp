// Configuration files: TOML, `schema = 1` and one table of parameters per application.
#pragma once

#include <string>
#include <vector>

#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::harness {

/// The values of one parameter, and their source: an option, or the name of a file.
struct SourcedSetting {
  Sweep setting;
  std::string source;
};

/// The values that the table of `application` sets, in the file's order; an array gives a key several values. The whole
/// file is checked: a table that is no application's and a key that is no parameter of its application are refused at
/// their place, whichever application runs. Throws io::InputError for what is not TOML, std::invalid_argument for
/// names and values. `applications` are all there are.
std::vector<Sweep> read_config(const std::string& file, const Application& application,
                               const std::vector<Application>& applications);

}  // namespace speedwell::harness

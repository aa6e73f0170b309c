// The parameters of an application's problem with their values and sources, as a configuration file and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "speedwell/harness/config_file.hpp"
#include "speedwell/harness/records/record.hpp"

namespace speedwell::harness {

/// A parameter and its values: several where the size or the user gives several, which are taken in turn.
struct ResolvedParameter {
  const Parameter* parameter;
  std::vector<Value> values;
  std::string source;  // "default", "size NAME", or that of the user's setting
};

/// Every parameter of the application: by default, by the size, or by the last of the user's settings.
std::vector<ResolvedParameter> resolve_parameters(const Application& application, const Size& size,
                                                  const std::vector<SourcedSetting>& user);

/// A configuration file, with the source of each value in a comment.
std::string config_text(const std::vector<ResolvedParameter>& parameters, const std::string& application,
                        std::uint64_t seed);
/// The same as JSON, schema speedwell-config/1.
Json config_document(const std::vector<ResolvedParameter>& parameters, const std::string& application,
                     const std::string& size, std::uint64_t seed);

}  // namespace speedwell::harness

// From what a user asked for (a size, settings) to whole problems, with every mistake named.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::harness {

/// The application, size, parameter or variant of this name. Throw std::invalid_argument naming the nearest valid one.
const Application& find_application(const std::vector<Application>& applications, std::string_view name);
const Size& find_size(const Application& application, std::string_view name);
const Parameter& find_parameter(const Application& application, std::string_view key);

/// "KEY=VALUE" as a setting of this application: counts, reals and words by the parameter's type, checked against its
/// range and choices. Throws std::invalid_argument.
Setting parse_setting(const Application& application, std::string_view text);
/// The same from a key and the text of its value.
Setting parse_setting(const Application& application, std::string_view key, std::string_view value);

/// Every problem of a size: the product of its sweeps, with the user's settings on top; a key that the user sets is not
/// swept. Throws std::invalid_argument.
std::vector<Problem> problems(const Application& application, const Size& size, const std::vector<Setting>& user,
                              std::uint64_t seed);

/// "KEY=VALUE,KEY=VALUE" as a machine for the application's projector. Throws std::invalid_argument, also for an
/// application that has none.
Problem parse_machine(const Application& application, std::string_view text);

/// "stream kernel=triad n=1024 precision=f64 seed=1": equal for equal problems, whatever size they came from.
std::string key_of(const Problem& problem);

/// The variants that a comma-separated list of globs names, in the table's order; all for "". Throws
/// std::invalid_argument for a pattern that matches nothing.
std::vector<const Variant*> select_variants(const Application& application, std::string_view globs);

/// Those of `selected` that belong to the problem, and those that `globs` names in full; all where that leaves none.
std::vector<const Variant*> variants_of(const Problem& problem, std::vector<const Variant*> selected,
                                        std::string_view globs);

}  // namespace speedwell::harness

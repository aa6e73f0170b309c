// From what a user asked for (a size, settings) to whole problems, with every mistake named.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/harness/measurement/application.hpp"

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

/// The same of "KEY=VALUE,VALUE": several values, which are taken in turn, each once. The value of a word without
/// choices, such as a path, is one and may contain commas. Throws std::invalid_argument.
Sweep parse_sweep(const Application& application, std::string_view text);
/// Adds the values of `more`, which has the same key. Throws std::invalid_argument for a value that is there.
void add_values(const Application& application, Sweep& sweep, const Sweep& more);

/// Every problem of a size: the product of its sweeps, with the user's settings on top; a key that the user sets is not
/// swept. Throws std::invalid_argument.
std::vector<Problem> problems(const Application& application, const Size& size, const std::vector<Setting>& user,
                              std::uint64_t seed);
/// The same with several values of a key. Throws std::invalid_argument for more than 100000 problems.
std::vector<Problem> swept_problems(const Application& application, const Size& size, const std::vector<Sweep>& user,
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

// The words that a shell offers at the end of a command line, and the scripts that make it request them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::cli {

/// The words that may take the place of the last of `words`, which follow `speedwell` on a command line; empty where
/// the shell knows better: files, numbers, and what is nowhere listed.
std::vector<std::string> completions(std::span<const std::string> words,
                                     const std::vector<harness::Application>& applications);

/// The names of the shells that have a script: "one, another or a third".
std::string shells();
/// Throws UsageError for a shell for which there is none.
std::string completion_script(const std::string& shell);

}  // namespace speedwell::cli

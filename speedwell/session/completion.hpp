// The words that a shell offers at the end of a command line, and the scripts that make it request them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::session {

/// An option or operand as a shell completes it.
struct OptionShape {
  std::vector<std::string> names;  // with their dashes; an operand has none
  std::string value;               // what --help calls its value; empty: it takes none
  int max_values = 0;
  std::vector<std::string> choices;  // of values, where --help names them
};

/// The choices at the end of an option's description, as in "what it is: one, another or a third"; empty where that
/// does not end with a list of single words.
std::vector<std::string> choices_in(std::string_view description);

/// A command of the program, and the function that says its options.
struct CommandShape {
  std::string name;
  std::function<std::vector<OptionShape>()> options;
};

/// The words that may take the place of the last of `words`, which follow `speedwell` on a command line; empty where
/// the shell knows better: files, numbers, and what is nowhere listed.
std::vector<std::string> completions(std::span<const std::string> words, const std::vector<CommandShape>& commands,
                                     const std::vector<harness::Application>& applications);

/// The names of the shells that have a script: "one, another or a third".
std::string shells();
/// Throws process::UsageError for a shell for which there is none.
std::string completion_script(const std::string& shell);

}  // namespace speedwell::session

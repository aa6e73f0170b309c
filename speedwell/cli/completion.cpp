// completion: scripts that complete the words of the program in a shell, and the words that they request.
#include "speedwell/session/completion.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <utility>

#include "speedwell/catalogue.hpp"
#include "speedwell/cli/command.hpp"
#include "speedwell/cli/options.hpp"

namespace speedwell::cli {
namespace {

/// Every command, which says its options where a line has its name.
std::vector<session::CommandShape> command_shapes() {
  std::vector<session::CommandShape> shapes;
  for (const Command& command : commands())
    shapes.push_back({std::string(command.name), [&command] {
                        std::vector<session::OptionShape> options;
                        Arguments arguments;
                        arguments.command = command.name;
                        arguments.shapes = &options;
                        command.run(arguments);
                        return options;
                      }});
  return shapes;
}

}  // namespace

int completion(const Arguments& arguments) {
  CLI::App app("Prints a script that completes the words of speedwell in a shell; its first line says where to put it.",
               "speedwell completion");
  std::vector<std::string> words;
  bool asked = false;
  app.add_option("SHELL", words, session::shells());
  app.add_flag("--words", asked)->group("");  // what the scripts call: the words that may be the last of SHELL…
  if (const auto done = parse(app, arguments)) return *done;
  if (asked) {
    for (const std::string& word : session::completions(words, command_shapes(), catalogue()))
      std::cout << word << "\n";
    return 0;
  }
  if (words.empty()) throw UsageError("SHELL is required: " + session::shells(), "speedwell completion bash");
  if (words.size() > 1)
    throw UsageError(fmt::format("'{}' is one word too many for completion", words[1]), "speedwell completion --help");
  std::cout << session::completion_script(words.front());
  return 0;
}

}  // namespace speedwell::cli

// The layout of --help: groups of options in 80 columns, and an example of the command.
#pragma once

#include <string_view>

namespace CLI {
class App;
}

namespace speedwell::cli {

/// Gives `app` this look, and the example of `command` where it has one.
void set_help_style(CLI::App& app, std::string_view command);

}  // namespace speedwell::cli

#include "speedwell/cli/help.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace speedwell::cli {
namespace {

constexpr std::size_t max_width = 80, description_column = 22;

// Characters, not bytes: every byte of UTF-8 that does not continue a character.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// Words of `text` from description_column on, in as many lines as they take.
std::string wrapped(std::string_view text) {
  std::string lines;
  std::size_t at = description_column;
  while (!text.empty()) {
    const auto space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    if (at > description_column && at + 1 + width_of(word) > max_width) {
      lines += "\n" + std::string(description_column, ' ');
      at = description_column;
    } else if (at > description_column) {
      lines += " ";
      ++at;
    }
    lines += word;
    at += width_of(word);
    text = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
  }
  return lines;
}

class HelpFormatter : public CLI::Formatter {
 public:
  // CLI11 leaves two lines between groups.
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n")) text.erase(at, 1);
    return text;
  }
  std::string make_option(const CLI::Option* option, bool positional) const override {
    std::string line = "  " + make_option_name(option, positional) + make_option_opts(option);
    const std::string description = make_option_desc(option);
    if (description.empty()) return line + "\n";
    const std::size_t width = width_of(line);
    line += width + 2 > description_column ? "\n" + std::string(description_column, ' ')
                                           : std::string(description_column - width, ' ');
    return line + wrapped(description) + "\n";
  }
};

struct Example {
  std::string_view command, text;
};
constexpr Example examples[] = {
    {"list", "speedwell list stream                  its variants, sizes and parameters"},
    {"info", "speedwell info --format json           for a program that reads it"},
    {"run", "speedwell run stream --variant openmp --set kernel=triad --set n=1e6,1e7,1e8"},
    {"compare", "speedwell compare fft --set n=128      one core, all cores, GPU and libraries"},
    {"ladder", "speedwell ladder wavefront --size standard"},
    {"crossover", "speedwell crossover stream --budget 30s"},
    {"scale", "speedwell scale stencil --set n=256 --ranks 1,2,4"},
    {"suite", "speedwell suite stream fft --output results-of-today"},
    {"machine", "speedwell machine --quick --json machine.json"},
    {"align", "speedwell align query.fa database.fa --out hits.tsv"},
    {"checkpoint", "speedwell checkpoint verify cavity"},
    {"config", "speedwell config show stencil --size large > stencil.toml"},
    {"schema", "speedwell schema > records.schema.json"},
    {"completion", "source <(speedwell completion bash)"},
};

}  // namespace

void set_help_style(CLI::App& app, std::string_view command) {
  app.formatter(std::make_shared<HelpFormatter>());
  const auto* const example =
      std::find_if(std::begin(examples), std::end(examples), [&](const Example& e) { return e.command == command; });
  if (example == std::end(examples)) return;
  const std::string rest = app.get_footer();
  app.footer("Example:\n  " + std::string(example->text) + (rest.empty() ? "" : "\n\n" + rest));
}

}  // namespace speedwell::cli

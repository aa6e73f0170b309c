// report, diff, accept and compare-machines: the commands of the Python package, which is started with their words.
#include <map>
#include <string>
#include <vector>

#include "speedwell/cli/command.hpp"
#include "speedwell/process/python.hpp"

namespace speedwell::cli {
namespace {

// The package's options, for completion: a test holds them against its --help.
struct Option {
  const char* name;
  const char* value;
  std::vector<std::string> choices;
};
const std::map<std::string, std::vector<Option>>& options() {
  static const std::vector<std::string> phases{"execute", "end_to_end"};
  static const std::map<std::string, std::vector<Option>> all{
      {"report", {{"--out", "FILE", {}}, {"--force", "", {}}, {"--title", "TEXT", {}}, {"--apart", "", {}}}},
      {"diff",
       {{"--more-base", "RECORDS", {}},
        {"--more-new", "RECORDS", {}},
        {"--across-machines", "", {}},
        {"--phase", "PHASE", phases},
        {"--minimum-effect", "PCT", {}},
        {"--session-spread", "PCT", {}},
        {"--fail-on", "WHAT", {"slower", "missing", "unclear"}},
        {"--all", "", {}},
        {"--format", "F", {"text", "json"}}}},
      {"accept",
       {{"--rules", "FILE", {}},
        {"--baseline", "RECORDS", {}},
        {"--nodes", "BY", {"host", "card", "source"}},
        {"--junit", "FILE", {}},
        {"--format", "F", {"text", "json"}},
        {"--out", "FILE", {}},
        {"--force", "", {}}}},
      {"compare",
       {{"--all", "", {}},
        {"--phase", "PHASE", phases},
        {"--format", "F", {"text", "json", "csv"}},
        {"--out", "FILE", {}},
        {"--force", "", {}}}}};
  return all;
}

int started_from(const Arguments& arguments, const char* command) {
  if (arguments.shapes) {
    for (const auto& [name, value, choices] : options().at(command))
      arguments.shapes->push_back({.names = {name}, .value = value, .choices = choices});
    arguments.shapes->push_back({.names = {"--help"}});
    return 0;
  }
  std::vector<std::string> words{command};
  words.insert(words.end(), arguments.words.begin(), arguments.words.end());
  return process::run_python(words).status;
}

}  // namespace

int report(const Arguments& arguments) { return started_from(arguments, "report"); }
int diff(const Arguments& arguments) { return started_from(arguments, "diff"); }
int accept(const Arguments& arguments) { return started_from(arguments, "accept"); }
int compare_machines(const Arguments& arguments) { return started_from(arguments, "compare"); }

}  // namespace speedwell::cli

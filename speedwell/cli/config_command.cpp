// config show: every parameter of an application's problem, its value, and its source. What is printed is a
// configuration file again.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "speedwell/catalogue.hpp"
#include "speedwell/cli/command.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/core/closest_match.hpp"
#include "speedwell/harness/config_text.hpp"
#include "speedwell/harness/problems.hpp"

namespace speedwell::cli {
int config(const Arguments& arguments) {
  CLI::App app("Every parameter of an application's problem, its value, and its source.", "speedwell config");
  RunOptions options;
  std::string what, name;
  app.add_option("WHAT", what, "show")->required();
  app.add_option("APP", name, "the application (speedwell list apps)");
  add_problem_options(app, options);
  app.add_option("--format", options.format, "what is printed (text, a configuration file again): text or json")
      ->type_name("F");
  add_verbosity_options(app, options);
  if (const auto done = parse(app, arguments)) return *done;
  const std::vector<std::string> known = {"show"};
  if (what != "show") throw UsageError(core::unknown_name("word", what, known), "speedwell config show APP");
  if (name.empty()) throw UsageError("APP is required", "speedwell config show APP");
  const Format format = format_of(options.format, {"text", "json"});
  const auto applications = catalogue();
  const harness::Application& application = harness::find_application(applications, name);
  const harness::Size& size = harness::find_size(application, options.size.empty() ? "small" : options.size);
  const auto user = sourced_settings_of(options, application, true);
  const std::uint64_t seed = seed_of(options);
  const auto all = harness::resolve_parameters(application, size, user);
  std::cout << (format == Format::json
                    ? harness::dump(harness::config_document(all, application.name, size.name, seed)) + "\n"
                    : harness::config_text(all, application.name, seed));
  return 0;
}

}  // namespace speedwell::cli

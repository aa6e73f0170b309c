// list: applications, variants, sizes and devices; what is missing is listed with the reason, which is told once.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "speedwell/catalogue.hpp"
#include "speedwell/cli/command.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/core/closest_match.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/tables/listing.hpp"

namespace speedwell::cli {

int list(const Arguments& arguments) {
  CLI::App app(
      "What is built in and what this machine has: the applications; of one its variants, sizes and parameters.",
      "speedwell list");
  RunOptions options;
  std::string what, name;
  app.add_option("WHAT", what, "an application, or one part of all (apps): apps, variants, sizes or devices");
  app.add_option("APP", name, "only this application (all)");
  add_verbosity_options(app, options);
  if (const auto done = parse(app, arguments)) return *done;
  std::vector<std::string> known = {"apps", "variants", "sizes", "devices"};
  std::vector<harness::Application> applications = catalogue();
  const bool whole =
      std::any_of(applications.begin(), applications.end(), [&](const auto& a) { return a.name == what; });
  if (!name.empty() && (whole || what == "devices"))
    throw UsageError(fmt::format("'{}' is one word too many for list {}", name, what), "speedwell list --help");
  if (!name.empty()) applications = {harness::find_application(applications, name)};
  const machine::Machine machine = machine::detect();
  if (what.empty() || what == "apps") {
    std::cout << harness::list_applications(applications);
    if (what.empty())
      std::cout
          << "\nspeedwell list APP shows the variants, sizes and parameters of one; list devices this machine's.\n";
  } else if (what == "devices") {
    std::cout << harness::list_devices(machine);
  } else if (what == "variants") {
    std::cout << harness::list_variants(applications, machine);
  } else if (what == "sizes") {
    std::cout << harness::list_sizes(applications);
  } else {
    for (const auto& a : applications) {
      if (a.name == what) {
        std::cout << harness::list_application(a, machine);
        return 0;
      }
      known.push_back(a.name);
    }
    throw UsageError(core::unknown_name("list", what, known), "speedwell list --help");
  }
  return 0;
}

}  // namespace speedwell::cli

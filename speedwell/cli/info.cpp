// info and schema: what this binary is and what it writes.
#include "speedwell/harness/records/info.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

#include "speedwell/cli/command.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/harness/records/build_info.hpp"
#include "speedwell/process/ranks.hpp"

namespace speedwell::cli {

int info(const Arguments& arguments) {
  CLI::App app("Version, build and machine: paste this into a bug report.", "speedwell info");
  RunOptions options;
  app.add_option("--format", options.format, "what is printed (text): text or json")->type_name("F")->group("Output");
  add_verbosity_options(app, options);
  if (const auto done = parse(app, arguments)) return *done;
  const Format format = format_of(options.format, {"text", "json"});
  const auto m = machine::detect();
  if (format == Format::json) {
    const harness::Session session{arguments.command_line, harness::utc_now(), 0};
    std::cout << harness::dump(harness::info_document(m, process::rank_count(), session)) << "\n";
  } else {
    std::cout << harness::info_text(m, process::rank_count());
  }
  return 0;
}

int schema(const Arguments& arguments) {
  CLI::App app("Prints the JSON Schema of records.", "speedwell schema");
  RunOptions options;
  add_verbosity_options(app, options);
  if (const auto done = parse(app, arguments)) return *done;
  std::cout << harness::records_schema();
  return 0;
}

}  // namespace speedwell::cli

// checkpoint: what the checkpoints of a run hold, and whether they are what was written.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "speedwell/cli/command.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/core/closest_match.hpp"
#include "speedwell/session/checkpoints.hpp"
#include "speedwell/simulation/checkpoint_inspection.hpp"

namespace speedwell::cli {

int checkpoint(const Arguments& arguments) {
  CLI::App app("What the checkpoints of a run hold, and whether they are what was written.", "speedwell checkpoint");
  RunOptions options;
  std::string what, folder;
  app.add_option("WHAT", what, "list or verify")->required();
  app.add_option("DIR", folder, "the run's folder, or its folder of checkpoints")->required();
  app.add_option("--format", options.format, "what is printed (text): text or json")->type_name("F");
  add_verbosity_options(app, options);
  if (const auto done = parse(app, arguments)) return *done;
  const std::vector<std::string> known = {"list", "verify"};
  if (std::find(known.begin(), known.end(), what) == known.end())
    throw UsageError(core::unknown_name("word", what, known), "speedwell checkpoint --help");
  const Format format = format_of(options.format, {"text", "json"});
  const bool verify = what == "verify";
  const std::vector<simulation::InspectedCheckpoint> all = simulation::inspect_checkpoints(folder, verify);
  std::cout << (format == Format::json ? session::checkpoints_document(all, verify)
                                       : session::checkpoints_table(all, verify));
  int status = 0;
  for (const auto& c : all)
    if (verify && c.fault) {
      const Failure failure = failure_of(*c.fault);
      std::cerr << text_of(failure);
      status = failure.status;
    }
  return status;
}

}  // namespace speedwell::cli

// scale: one variant on several numbers of ranks or GPUs.
#include <CLI/CLI.hpp>
#include <iostream>

#include "speedwell/cli/command.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/session/scaling.hpp"

namespace speedwell::cli {

int scale(const Arguments& arguments) {
  CLI::App app(
      "How the time of a variant falls with the number of ranks or GPUs (strong scaling), or stays with a problem that "
      "grows with it (weak scaling): each number is started by the launcher of MPI, verified and recorded.",
      "speedwell scale");
  session::ScalingOptions options;
  app.add_option("APP", options.application, "the application (speedwell list apps)")->required();
  app.add_option("--ranks", options.ranks, "numbers of ranks (1, 2, 4, … and all cores)")->type_name("N,…");
  app.add_option("--gpus", options.gpus, "numbers of GPUs, with a rank for each; all of them with all")
      ->type_name("N,…");
  app.add_flag("--strong", options.strong, "the same problem on all numbers (the default)");
  app.add_flag("--weak", options.weak, "a problem that is as many times as large as there are ranks");
  app.add_flag("--oversubscribe", options.oversubscribe, "more ranks than cores, or than GPUs, are meant");
  app.add_option("--project", options.projection.counts,
                 "also predict the times on these numbers, by the application's model (none)")
      ->type_name("N,…");
  app.add_option("--links", options.projection.links,
                 "a record of `speedwell machine` with the links that --project assumes (measured here)")
      ->type_name("FILE");
  add_scale_options(app, options.run);
  if (const auto done = parse(app, arguments)) return *done;
  return session::measure_scaling(options, arguments.command, std::cout);
}

}  // namespace speedwell::cli

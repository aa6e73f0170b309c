// The command `solve`: its options, and what its ends mean to the shell.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "speedwell/cli/command.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/cli/solve.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/machine/machine.hpp"
#include "speedwell/process/child.hpp"
#include "speedwell/session/solve.hpp"
#include "speedwell/simulation/run_folder.hpp"

namespace speedwell::cli {
namespace {

// Beside the program where it was installed.
std::string example_cases() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto installed = program.parent_path().parent_path() / "share/speedwell/examples/cases";
  if (!error && std::filesystem::is_directory(installed, error)) return installed.string();
  return "share/speedwell/examples/cases of an installed Speedwell, and in examples/cases of its source";
}

}  // namespace

int solve(const Arguments& arguments) {
  CLI::App app("Advances the flow of a case file in time, with histories, fields and checkpoints in a folder.",
               "speedwell solve");
  SolveOptions options;
  RunOptions shared;
  std::string limit;
  app.add_option("CASE", options.file, "case file (TOML); with --resume the folder's own unless given");
  app.add_option("--output", options.folder, "the run's folder (flow)")->type_name("DIR");
  app.add_flag("--force", options.force, "write into a folder that is not empty");
  app.add_flag("--resume", options.resume, "continue from the newest checkpoint in the folder");
  app.add_option("--time-limit", limit, "save, stop and exit 7 after this time")->type_name("T");
  app.add_option("--threads", shared.threads, "CPU threads (all cores)")->type_name("N");
  app.add_option("--ranks", shared.ranks,
                 "start so many ranks of MPI, each on one core, among which the box is divided "
                 "(SPEEDWELL_LAUNCHER, srun or mpirun)")
      ->type_name("N");
  app.add_option("--gpus", shared.gpus,
                 "start a rank of MPI for each of so many GPUs, or of all, among which the box is divided: flows and "
                 "binary fluids")
      ->type_name("N");
  app.add_option("--devices", shared.devices, "GPU indices after CUDA_VISIBLE_DEVICES, all or none")->type_name("LIST");
  app.add_flag("--oversubscribe", shared.oversubscribe, "more ranks than cores, or than GPUs, are meant");
  app.add_option("--variant", shared.variants,
                 "where to run; auto is a GPU where there is one that can do the case, and multi a GPU for each rank "
                 "(auto): auto, openmp, cuda or multi")
      ->check(one_of({"auto", "openmp", "cuda", "multi"}))
      ->type_name("WORD");
  std::string field_format;
  app.add_option("--field-format", field_format,
                 "format of field files: vti, or hdf5, where the build has it, with an .xdmf over them (vti; with "
                 "--resume that of the run)")
      ->check(one_of({"vti", "hdf5"}))
      ->type_name("WORD");
  app.add_flag("--dry-run", options.dry_run, "say what would be done and how much memory it takes");
  std::vector<std::string> keys;
  CLI::Option* keys_option =
      app.add_option("--keys", keys,
                     "print a case file of all keys, each explained, of a solver (all): incompressible_flow, "
                     "blast_wave or binary_fluid")
          ->expected(0, 1)
          ->type_name("[SOLVER]");
  add_verbosity_options(app, shared);
  app.footer(
      "Examples:\n"
      "  speedwell solve --keys incompressible_flow > my-case.toml\n"
      "  speedwell solve cavity.toml --output cavity --time-limit 1h\n"
      "  speedwell solve --resume --output cavity\n"
      "  speedwell solve droplet.toml --ranks 16 --output droplet\n"
      "  speedwell solve droplet.toml --gpus 2 --output droplet\n\n"
      "A case file is TOML. --keys SOLVER prints one of all keys with descriptions,\n"
      "units, defaults and what is allowed. Example cases are in\n" +
      example_cases() + ".");
  if (const auto done = parse(app, arguments)) return *done;

  if (keys_option->count() > 0) {
    std::cout << solve_keys(keys.empty() || keys.front() == "{}" ? "" : keys.front());
    return 0;
  }
  if (options.file.empty() && !options.resume) throw UsageError("no case file", "speedwell solve CASE.toml");
  if (options.folder.empty()) options.folder = "flow";
  if (!limit.empty()) options.time_limit = time_option("--time-limit", limit);
  if (!field_format.empty()) {
    options.field_format = field_format == "hdf5" ? simulation::FieldFormat::hdf5 : simulation::FieldFormat::vtk;
    simulation::require_field_format(*options.field_format);  // before ranks are started
  }
  options.available_bytes = static_cast<double>(machine::available_host_bytes());
  options.quiet = shared.quiet > 0;
  if (const auto words = session::enter_solve(shared, arguments, options); !words.empty())
    return process::run_launcher(words);
  options.terminal = isatty(STDERR_FILENO);
  options.progress = wanted("--progress", shared.progress, !options.quiet);
  options.stop = &stop_requested();
  switch (run_solve(options, std::cout, std::cerr)) {
    case StopReason::end_reached:
      return 0;
    case StopReason::diverged:
      return 1;
    case StopReason::time_limit:
      return 7;
    case StopReason::interrupted:
      return stop_status();
  }
  return 70;
}

}  // namespace speedwell::cli

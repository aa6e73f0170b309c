// info and schema: what this binary is and what it writes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/cli/command.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/cli/ranks.hpp"
#include "speedwell/comm/environment.hpp"
#include "speedwell/core/isa.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/build_info.hpp"
#include "speedwell/harness/record.hpp"

namespace speedwell::cli {
namespace {

std::string or_none(std::string_view text) { return text.empty() ? "not in this build" : std::string(text); }

// "2 cores", "1 socket".
std::string counted(int count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

using Lines = std::vector<std::pair<std::string, std::string>>;

Lines lines_of(const harness::BuildInfo& b, const machine::Machine& m) {
  Lines lines;
  const auto line = [&](std::string key, std::string value) { lines.emplace_back(std::move(key), std::move(value)); };
  line("speedwell", std::string(b.version));
  line("commit", b.commit.empty() ? "unknown" : fmt::format("{}{}", b.commit, b.dirty ? " with changes" : ""));
  line("compiler", fmt::format("{}, {} {}", b.compiler, b.build_type, b.flags));
  line("CUDA", b.cuda.empty() ? or_none("") : fmt::format("{} for {}", b.cuda, b.cuda_architectures));
  line("MPI", b.mpi.empty() ? or_none("")
                            : fmt::format("{}, {}, {}", b.mpi, comm::library_version(), counted(rank_count(), "rank")));
  line("OpenMP", or_none(b.openmp));
  line("hwloc", or_none(b.hwloc));
  line("BLAS", or_none(b.blas));
  line("peers", or_none(b.peers));
  line("system", fmt::format("{}, {}", m.os, m.kernel));
  line("processor",
       fmt::format("{}: {}, {}, {}, {}", m.cpu.name, counted(m.cpu.sockets, "socket"), counted(m.cpu.cores, "core"),
                   counted(m.cpu.threads, "thread"), counted(m.cpu.numa_nodes, "NUMA node")));
  for (const auto& c : m.cpu.caches)
    line("", fmt::format("L{} {} x {}, shared by {}", c.level, c.instances,
                         core::format_bytes(static_cast<double>(c.bytes)), c.shared_by));
  line("kernels for", std::string(core::to_string(core::best_isa())));
  line("memory", core::format_bytes(static_cast<double>(m.cpu.memory_bytes)));
  line("GPU driver", m.driver.empty() ? "none" : m.driver);
  for (const auto& g : m.gpus)
    line(fmt::format("GPU {}", g.index),
         fmt::format("{}, {} multiprocessors, {}, compute capability {}.{}, {}", g.name, g.multiprocessors,
                     core::format_bytes(static_cast<double>(g.memory_bytes)), g.compute_capability / 10,
                     g.compute_capability % 10, g.runnable ? g.uuid : g.not_runnable));
  if (m.gpus.empty()) line("GPU", "none: " + m.gpu_reason);
  return lines;
}

// A document of records without runs, and what the text has besides.
harness::Json document_of(const Arguments& arguments, const harness::BuildInfo& b, const machine::Machine& m) {
  harness::Json document = harness::document(m, {}, {arguments.command_line, harness::utc_now(), 0});
  document["info"] = {
      {"hwloc", or_none(b.hwloc)}, {"blas", or_none(b.blas)},
      {"peers", or_none(b.peers)}, {"mpi_library", b.mpi.empty() ? or_none("") : comm::library_version()},
      {"ranks", rank_count()},     {"kernels_for", std::string(core::to_string(core::best_isa()))}};
  return document;
}

}  // namespace

int info(const Arguments& arguments) {
  CLI::App app("Version, build and machine: paste this into a bug report.", "speedwell info");
  RunOptions options;
  app.add_option("--format", options.format, "what is printed (text): text or json")->type_name("F")->group("Output");
  add_verbosity_options(app, options);
  if (const auto done = parse(app, arguments)) return *done;
  const Format format = format_of(options.format);
  if (format != Format::text && format != Format::json) throw UsageError("info prints text or json", "");
  const auto& b = harness::build_info();
  const auto m = machine::detect();
  if (format == Format::json) {
    std::cout << harness::dump(document_of(arguments, b, m)) << "\n";
    return 0;
  }
  for (const auto& [key, value] : lines_of(b, m)) std::cout << fmt::format("{:<14} {}\n", key, value);
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

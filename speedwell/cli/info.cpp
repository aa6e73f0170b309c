// info and schema: what this binary is and what it writes.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <iostream>

#include "speedwell/cli/command.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/cli/ranks.hpp"
#include "speedwell/comm/environment.hpp"
#include "speedwell/core/isa.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/build_info.hpp"

namespace speedwell::cli {
namespace {

std::string or_none(std::string_view text) { return text.empty() ? "not in this build" : std::string(text); }

}  // namespace

int info(const Arguments& arguments) {
  CLI::App app("Version, build and machine: paste this into a bug report.", "speedwell info");
  RunOptions options;
  add_talk_options(app, options);
  if (const auto done = parse(app, arguments)) return *done;
  const auto& b = harness::build_info();
  const auto m = machine::detect();
  const auto line = [](std::string_view key, const std::string& value) { std::cout << fmt::format("{:<14} {}\n", key, value); };
  line("speedwell", std::string(b.version));
  line("commit", b.commit.empty() ? "unknown" : fmt::format("{}{}", b.commit, b.dirty ? " with changes" : ""));
  line("compiler", fmt::format("{}, {} {}", b.compiler, b.build_type, b.flags));
  line("CUDA", b.cuda.empty() ? or_none("") : fmt::format("{} for {}", b.cuda, b.cuda_architectures));
  line("MPI",
       b.mpi.empty() ? or_none("") : fmt::format("{}, {}, {} rank(s)", b.mpi, comm::library_version(), rank_count()));
  line("OpenMP", or_none(b.openmp));
  line("hwloc", or_none(b.hwloc));
  line("BLAS", or_none(b.blas));
  line("peers", or_none(b.peers));
  line("system", fmt::format("{}, {}", m.os, m.kernel));
  line("processor", fmt::format("{}: {} socket(s), {} cores, {} threads, {} NUMA node(s)", m.cpu.name, m.cpu.sockets, m.cpu.cores,
                                m.cpu.threads, m.cpu.numa_nodes));
  for (const auto& c : m.cpu.caches)
    line("", fmt::format("L{} {} x {}, shared by {}", c.level, c.instances, core::format_bytes(static_cast<double>(c.bytes)), c.shared_by));
  line("kernels for", std::string(core::to_string(core::best_isa())));
  line("memory", core::format_bytes(static_cast<double>(m.cpu.memory_bytes)));
  line("GPU driver", m.driver.empty() ? "none" : m.driver);
  for (const auto& g : m.gpus)
    line(fmt::format("GPU {}", g.index),
         fmt::format("{}, {} multiprocessors, {}, compute capability {}.{}, {}", g.name, g.multiprocessors,
                     core::format_bytes(static_cast<double>(g.memory_bytes)), g.compute_capability / 10, g.compute_capability % 10,
                     g.runnable ? g.uuid : g.not_runnable));
  if (m.gpus.empty()) line("GPU", "none: " + m.gpu_reason);
  return 0;
}

int schema(const Arguments& arguments) {
  CLI::App app("Prints the JSON Schema of records.", "speedwell schema");
  RunOptions options;
  add_talk_options(app, options);
  if (const auto done = parse(app, arguments)) return *done;
  std::cout << harness::records_schema();
  return 0;
}

}  // namespace speedwell::cli

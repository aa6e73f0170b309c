#include "speedwell/harness/records/info.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "speedwell/comm/environment.hpp"
#include "speedwell/core/simd/isa.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/records/build_info.hpp"

namespace speedwell::harness {
namespace {

std::string or_none(std::string_view text) { return text.empty() ? "not in this build" : std::string(text); }

using core::counted;
using Lines = std::vector<std::pair<std::string, std::string>>;

Lines lines_of(const BuildInfo& b, const machine::Machine& m, int ranks) {
  Lines lines;
  const auto line = [&](std::string key, std::string value) { lines.emplace_back(std::move(key), std::move(value)); };
  line("speedwell", std::string(b.version));
  line("commit", b.commit.empty() ? "unknown" : fmt::format("{}{}", b.commit, b.dirty ? " with changes" : ""));
  line("compiler", fmt::format("{}, {} {}", b.compiler, b.build_type, b.flags));
  line("CUDA", b.cuda.empty() ? or_none("") : fmt::format("{} for {}", b.cuda, b.cuda_architectures));
  line("MPI",
       b.mpi.empty() ? or_none("") : fmt::format("{}, {}, {}", b.mpi, comm::library_version(), counted(ranks, "rank")));
  line("OpenMP", or_none(b.openmp));
  line("hwloc", or_none(b.hwloc));
  line("BLAS", or_none(b.blas));
  line("HDF5", or_none(b.hdf5));
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

}  // namespace

std::string info_text(const machine::Machine& machine, int ranks) {
  std::string text;
  for (const auto& [key, value] : lines_of(build_info(), machine, ranks))
    text += fmt::format("{:<14} {}\n", key, value);
  return text;
}

Json info_document(const machine::Machine& machine, int ranks, const Session& session) {
  const BuildInfo& b = build_info();
  Json all = document(machine, {}, session);
  all["info"] = {{"hwloc", or_none(b.hwloc)},
                 {"blas", or_none(b.blas)},
                 {"hdf5", or_none(b.hdf5)},
                 {"peers", or_none(b.peers)},
                 {"mpi_library", b.mpi.empty() ? or_none("") : comm::library_version()},
                 {"ranks", ranks},
                 {"kernels_for", std::string(core::to_string(core::best_isa()))},
                 {"source_digests", source_digests()}};
  return all;
}

}  // namespace speedwell::harness

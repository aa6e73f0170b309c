#include <fmt/format.h>
#include <sys/utsname.h>
#include <xxhash.h>

#include <algorithm>

#include "speedwell/machine/gpu/gpu_detect.hpp"
#include "speedwell/machine/host/cpu.hpp"

namespace speedwell::machine {
namespace {

// A digest that is equal for nodes of the same kind: without host names and serial numbers. Memory is rounded to GiB,
// because firmware reserves an amount that varies between boots.
std::string digest(const Machine& machine) {
  const auto gib = [](std::int64_t bytes) { return (bytes + (std::int64_t{1} << 29)) >> 30; };
  const Cpu& cpu = machine.cpu;
  std::string facts = fmt::format("{}\n{} {} {} {} {}\n", cpu.name, cpu.sockets, cpu.numa_nodes, cpu.cores, cpu.threads,
                                  gib(cpu.memory_bytes));
  for (const Cache& c : cpu.caches) facts += fmt::format("{} {} {} {}\n", c.level, c.bytes, c.shared_by, c.instances);
  for (const std::string& set : cpu.instruction_sets) facts += set + " ";
  for (const Gpu& g : machine.gpus)
    facts += fmt::format("\n{} {} {} {} {}", g.name, g.compute_capability, g.multiprocessors, gib(g.memory_bytes),
                         g.l2_bytes);
  return fmt::format("{:016x}", XXH3_64bits(facts.data(), facts.size()));
}

}  // namespace

std::int64_t Cpu::last_level_cache_bytes() const {
  std::int64_t bytes = 0;
  int level = 0;
  for (const Cache& cache : caches) {
    if (cache.level > level) bytes = 0;
    level = std::max(level, cache.level);
    if (cache.level == level) bytes += cache.bytes * cache.instances;
  }
  return bytes;
}

const Gpu* find_gpu(const Machine& machine, int index) {
  for (const Gpu& gpu : machine.gpus)
    if (gpu.index == index) return &gpu;
  return nullptr;
}

Machine detect() { return detect(allowed_cpus()); }

Machine detect(const std::vector<int>& cpus) {
  Machine machine;
  machine.cpu = detect_cpu(cpus);
  Gpus found = detect_gpus();
  machine.gpus = std::move(found.gpus);
  machine.gpu_reason = std::move(found.reason);
  machine.driver = std::move(found.driver);
  machine.cuda_runtime = std::move(found.cuda_runtime);
  machine.os = os_name("/");
  if (utsname kernel{}; uname(&kernel) == 0) machine.kernel = fmt::format("{} {}", kernel.sysname, kernel.release);
  machine.id = digest(machine);
  return machine;
}

std::int64_t available_host_bytes() { return available_bytes("/"); }

}  // namespace speedwell::machine

#include "speedwell/machine/host/cpu.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <set>
#include <sstream>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "speedwell/machine/cgroup.hpp"
#include "speedwell/machine/files.hpp"
#include "speedwell/machine/host/topology.hpp"

namespace speedwell::machine {
namespace {

std::set<int> affinity_mask() {
  for (int bits = 1024; bits <= 1 << 20; bits *= 2) {  // the kernel rejects masks that are shorter than its own
    cpu_set_t* mask = CPU_ALLOC(bits);
    if (!mask) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(bits);
    const int status = sched_getaffinity(0, bytes, mask);
    const int error = errno;
    std::set<int> cpus;
    if (status == 0)
      for (int cpu = 0; cpu < bits; ++cpu)
        if (CPU_ISSET_S(cpu, bytes, mask)) cpus.insert(cpu);
    CPU_FREE(mask);
    if (status == 0) return cpus;
    if (error != EINVAL) break;
  }
  return {0};
}

// Bytes of a line of /proc/meminfo, which counts in KiB.
std::optional<std::int64_t> meminfo_bytes(std::string_view meminfo, std::string_view key) {
  const auto value = value_of(meminfo, key);
  if (!value) return std::nullopt;
  const auto number = parse_whole(value->substr(0, value->find(' ')));
  if (!number || *number < 0 || *number > (INT64_MAX >> 10)) return std::nullopt;
  return *number << 10;
}

}  // namespace

std::vector<int> allowed_cpus() {
  std::set<int> cpus = affinity_mask();
#ifdef _OPENMP
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, ids.data());
    cpus.insert(ids.begin(), ids.end());
  }
#endif
  return {cpus.begin(), cpus.end()};
}

std::string cpu_name(std::string_view cpuinfo) {
  for (const char* key : {"model name", "Model", "cpu", "Hardware"})  // x86, some Arm, POWER, other Arm
    if (const auto name = value_of(cpuinfo, key); name && !name->empty()) return std::string(*name);
  return "unknown";
}

std::vector<std::string> instruction_sets(std::string_view cpuinfo) {
  std::vector<std::string> sets;
  if (const auto features = value_of(cpuinfo, "Features")) {  // on Arm the only useful entry
    std::istringstream words{std::string(*features)};
    for (std::string word; words >> word;) sets.push_back(word);
    return sets;
  }
  const auto flags = value_of(cpuinfo, "flags");
  if (!flags) return sets;
  constexpr std::array exact = {"sse2", "ssse3", "popcnt", "avx",      "avx2",  "fma",
                                "f16c", "bmi1",  "bmi2",   "avx_vnni", "sha_ni"};
  std::istringstream words{std::string(*flags)};
  for (std::string word; words >> word;) {
    if (word == "sse4_1")
      sets.push_back("sse4.1");
    else if (word == "sse4_2")
      sets.push_back("sse4.2");
    else if (word.starts_with("avx512") || word.starts_with("avx10") || word.starts_with("amx") ||
             std::find(exact.begin(), exact.end(), word) != exact.end())
      sets.push_back(word);
  }
  return sets;
}

Cpu describe_cpu(const std::filesystem::path& root, const std::vector<int>& cpus, const Topology& topology) {
  Cpu cpu;
  const std::string cpuinfo = read_text(root / "proc/cpuinfo").value_or("");
  cpu.name = cpu_name(cpuinfo);
  cpu.instruction_sets = instruction_sets(cpuinfo);
  cpu.sockets = topology.sockets;
  cpu.numa_nodes = topology.numa_nodes;
  cpu.caches = topology.caches;
  cpu.cores = topology.cores;
  cpu.threads = std::max<int>(1, static_cast<int>(cpus.size()));
  cpu.available = cpus;
  const CgroupLimits limits = cgroup_limits(root);
  if (limits.cpus) {  // rounded up to whole threads
    const int max_threads = std::max(1, static_cast<int>(std::min(std::ceil(*limits.cpus), 1e6)));
    cpu.threads = std::min(cpu.threads, max_threads);
    cpu.cores = std::min(cpu.cores, max_threads);
  }
  cpu.memory_bytes = meminfo_bytes(read_text(root / "proc/meminfo").value_or(""), "MemTotal").value_or(0);
  if (limits.memory_bytes && (cpu.memory_bytes == 0 || *limits.memory_bytes < cpu.memory_bytes))
    cpu.memory_bytes = *limits.memory_bytes;
  return cpu;
}

Cpu detect_cpu(const std::vector<int>& cpus) { return describe_cpu("/", cpus, read_topology(cpus)); }
Cpu detect_cpu() { return detect_cpu(allowed_cpus()); }

std::int64_t available_bytes(const std::filesystem::path& root) {
  std::optional<std::int64_t> bytes = meminfo_bytes(read_text(root / "proc/meminfo").value_or(""), "MemAvailable");
  const CgroupLimits limits = cgroup_limits(root);
  if (limits.memory_available && (!bytes || *limits.memory_available < *bytes)) bytes = limits.memory_available;
  return bytes.value_or(0);
}

std::string os_name(const std::filesystem::path& root) {
  const auto release = read_text(root / "etc/os-release");
  const auto line = release ? value_of(*release, "PRETTY_NAME=") : std::nullopt;
  if (!line) return "Linux";
  std::string_view name = *line;
  if (name.size() >= 2 && (name.front() == '"' || name.front() == '\'') && name.back() == name.front())
    name = name.substr(1, name.size() - 2);
  return std::string(name);
}

}  // namespace speedwell::machine

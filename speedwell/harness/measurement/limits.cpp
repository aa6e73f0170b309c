#include "speedwell/harness/measurement/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace speedwell::harness {
namespace {

constexpr double cache_reach = 4;  // working sets beyond so many times the caches are in memory

const machine::Ceiling* entry(const machine::Ceilings& ceilings, const std::string& name) {
  for (const machine::Ceiling& c : ceilings.entries)
    if (c.name == name && c.value > 0) return &c;
  return nullptr;
}

// The measured kernel whose share of reads is nearest to the work's.
std::string traffic(const Work& work) {
  const double reads = work.bytes_read / (work.bytes_read + work.bytes_written);
  struct Kernel {
    const char* name;
    double reads;
  };
  constexpr std::array<Kernel, 4> kernels = {{{"read", 1}, {"triad", 2.0 / 3}, {"copy", 0.5}, {"write", 0}}};
  return std::min_element(
             kernels.begin(), kernels.end(),
             [&](const Kernel& a, const Kernel& b) { return std::abs(a.reads - reads) < std::abs(b.reads - reads); })
      ->name;
}

// What the bytes cross, from the cache next to the cores to memory: a ceiling, and the bytes that caches before it
// hold.
struct Level {
  std::string ceiling, bound;
  double held = 0;
};

// What moves data between two GPUs fastest, by the measured ceilings: a copy engine, or kernels that load or store.
std::string fastest_mover(const Work& work, const machine::Ceilings& ceilings) {
  const std::string suffix = work.bytes_read > 0 && work.bytes_written > 0 ? "_both" : "";
  std::string fastest = "copy" + suffix;
  double rate = 0;
  for (const char* mover : {"copy", "load", "store"})
    if (const machine::Ceiling* c = entry(ceilings, "link." + (mover + suffix)); c && c->value > rate)
      fastest = mover + suffix, rate = c->value;
  return fastest;
}

std::vector<Level> levels_of(const Work& work, DeviceKind kind, const machine::Machine& machine, int device,
                             int devices, const machine::Ceilings& ceilings) {
  if (work.over_link && work.between_gpus) return {{"link." + fastest_mover(work, ceilings), "link"}};
  if (work.over_link) {
    if (work.bytes_read > 0 && work.bytes_written > 0) return {{"gpu.link.duplex.pinned", "link"}};
    return {{work.bytes_read > 0 ? "gpu.link.up.pinned" : "gpu.link.down.pinned", "link"}};
  }
  std::vector<Level> levels;
  double held = 0;
  if (kind == DeviceKind::gpu) {
    if (const machine::Gpu* gpu = machine::find_gpu(machine, device)) {
      levels.push_back({traffic(work) == "read" ? "gpu.l2.read" : "gpu.l2.copy", "cache"});
      held = static_cast<double>(gpu->l2_bytes) * devices;
    }
    levels.push_back({"gpu." + traffic(work), "memory", held});
    return levels;
  }
  const std::string prefix = kind == DeviceKind::core ? "host.core." : "host.";
  for (const machine::Cache& cache : machine.cpu.caches) {
    levels.push_back({prefix + "l" + std::to_string(cache.level) + ".triad", "cache", held});
    held = static_cast<double>(cache.bytes) * (kind == DeviceKind::core ? 1 : cache.instances);
  }
  levels.push_back({prefix + traffic(work), "memory", held});
  return levels;
}

// The share of each pass over a working set that caches of `held` bytes cannot keep, however well they replace: all
// but what fits. Of a set beyond four times the caches all of it, since then what stays is what was touched last, which
// no program meets again before it is replaced; an unknown working set stays nowhere.
double share_beyond(double held, double working_set) {
  if (working_set <= 0 || working_set > cache_reach * held) return 1;
  return std::max(0.0, 1 - held / working_set);
}

std::string arithmetic_ceiling(Arithmetic arithmetic, DeviceKind kind) {
  const std::string prefix = kind == DeviceKind::gpu ? "gpu." : kind == DeviceKind::core ? "host.core." : "host.";
  switch (arithmetic) {
    case Arithmetic::f64:
      return prefix + "fma.f64";
    case Arithmetic::f32:
      return prefix + "fma.f32";
    case Arithmetic::int32:
      return prefix + "integer";
    case Arithmetic::dpx:
      return kind == DeviceKind::gpu ? "gpu.dpx" : prefix + "integer";
    case Arithmetic::none:
      break;
  }
  return {};
}

std::string not_measured(const std::string& ceiling) {
  const std::string words = machine::words_of_ceiling(ceiling);
  return fmt::format("the ceiling {}{} was not measured", ceiling, words.empty() ? "" : " (" + words + ")");
}

}  // namespace

DeviceKind device_kind(Backend backend, int threads) {
  if (uses_gpu(backend)) return DeviceKind::gpu;
  return backend == Backend::serial || threads == 1 ? DeviceKind::core : DeviceKind::cores;
}

LimitOrReason limit_of(const Work& work, DeviceKind kind, const machine::Machine& machine, int device,
                       const machine::Ceilings& ceilings, int devices) {
  if (!work.no_limit.empty()) return {std::nullopt, work.no_limit};
  std::optional<Limit> limit;
  const auto consider = [&](double amount, const std::string& name, const std::string& bound) -> bool {
    const machine::Ceiling* c = entry(ceilings, name);
    if (!c) return false;
    const double rate = c->value * devices;
    const double seconds = amount / (rate * 1e9);  // every rate is in 10^9 per second
    if (!limit || seconds > limit->seconds) limit = Limit{seconds, bound, name, rate, c->unit};
    return true;
  };
  // The ceilings of the link between two GPUs are those of each direction.
  const double bytes = work.over_link && work.between_gpus ? std::max(work.bytes_read, work.bytes_written)
                                                           : work.bytes_read + work.bytes_written;
  if (bytes > 0) {
    std::string missing;  // of the last level that bytes must come from: a cache on the way may lack its ceiling
    for (const Level& level : levels_of(work, kind, machine, device, devices, ceilings)) {
      const double share = share_beyond(level.held, work.working_set);
      if (share > 0) missing = consider(bytes * share, level.ceiling, level.bound) ? "" : level.ceiling;
    }
    if (!missing.empty()) return {std::nullopt, not_measured(missing)};
  }
  if (work.operations > 0 && work.arithmetic != Arithmetic::none) {
    const std::string name = arithmetic_ceiling(work.arithmetic, kind);
    if (!consider(work.operations, name, "arithmetic")) return {std::nullopt, not_measured(name)};
  }
  if (!limit) return {std::nullopt, "the work moves no bytes and does no arithmetic: latency is all there is"};
  if (const machine::Ceiling& c = *entry(ceilings, limit->ceiling); !machine::is_stable(c))
    return {std::nullopt,
            fmt::format("the ceiling {} was not stable: {:.4g} to {:.4g} {}", c.name, c.low, c.high, c.unit)};
  return {limit, {}};
}

void withhold_if_exceeded(LimitOrReason& limit, double execute_seconds) {
  if (!limit.limit || limit.limit->seconds <= limit_tolerance * execute_seconds) return;
  limit = {
      std::nullopt,
      fmt::format("withheld: the measured time is {:.0f} % of what {} = {:.4g} {} allows, so the count or that ceiling "
                  "does not describe this run",
                  100 * execute_seconds / limit.limit->seconds, limit.limit->ceiling, limit.limit->ceiling_value,
                  limit.limit->ceiling_unit)};
}

bool cache_resident(const Work& work, DeviceKind kind, const machine::Machine& machine, int device, int devices) {
  double last = 0;
  if (kind == DeviceKind::gpu) {
    if (const machine::Gpu* gpu = machine::find_gpu(machine, device))
      last = static_cast<double>(gpu->l2_bytes) * devices;
  } else {
    last = static_cast<double>(machine.cpu.last_level_cache_bytes());
  }
  return work.working_set < cache_reach * last;
}

}  // namespace speedwell::harness

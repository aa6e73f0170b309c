// The limit of a run: the least time in which this machine could do its work, from ceilings measured on it.
#pragma once

#include <optional>
#include <string>

#include "speedwell/harness/measurement/application.hpp"
#include "speedwell/machine/ceilings.hpp"
#include "speedwell/machine/machine.hpp"

namespace speedwell::harness {

/// Where a variant runs, as ceilings and sentences name it.
enum class DeviceKind { core, cores, gpu };
DeviceKind device_kind(Backend backend, int threads);

struct Limit {
  double seconds = 0;
  std::string bound;         // "memory", "cache", "link" or "arithmetic"
  std::string ceiling;       // the name of the measured ceiling
  double ceiling_value = 0;  // of all devices together
  std::string ceiling_unit;
};

/// A limit, or why there is none.
struct LimitOrReason {
  std::optional<Limit> limit;
  std::string reason;
};

/// max(bytes / bandwidth, operations / rate), of bytes over every level that they must come from: all bytes come
/// through the first cache, and those that caches of C bytes cannot keep of a working set of W (1 - C / W, and all
/// where W is beyond 4 C) from the level after them. So near the size of a cache the bound is the larger of what the
/// cache and what the memory behind it allow, and one that holds however well the cache replaces. A bandwidth of memory
/// is that of the measured kernel with the nearest share of reads (read 1, triad 2/3, copy 1/2, write 0), or of the
/// host link; between two GPUs it is the highest of those of copy engines, kernel loads and kernel stores. On several
/// equal GPUs, whose work is that of all together, rates and caches are `devices` times those of `device`, as if they
/// exchanged nothing.
LimitOrReason limit_of(const Work& work, DeviceKind kind, const machine::Machine& machine, int device,
                       const machine::Ceilings& ceilings, int devices = 1);

/// How far a measured time may lie below the limit before the limit is not believed: both are medians of measurements
/// that repeat within about a percent, so 2 % is noise and more is a wrong count or an unstable ceiling.
inline constexpr double limit_tolerance = 1.02;

/// Withholds a limit that the measured time beats by more than that: replaces it by the reason.
void withhold_if_exceeded(LimitOrReason& limit, double execute_seconds);

/// Whether the working set is below four times the last cache of the devices, so that it may not reach memory.
bool cache_resident(const Work& work, DeviceKind kind, const machine::Machine& machine, int device, int devices = 1);

}  // namespace speedwell::harness

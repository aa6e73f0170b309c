// Load by others: processor time of other processes and of the hypervisor during a measurement.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace speedwell::machine {

/// Load of some hardware threads during an interval.
struct HostLoad {
  double window_s = 0;  // wall-clock time
  double others = 0;    // fraction of the threads' time that other processes and interrupts used, 0 to 1
  double steal = 0;     // fraction that a hypervisor gave to other machines, 0 to 1
  std::int64_t involuntary_switches = 0;  // preemptions of threads of this process

  /// Combines two intervals.
  HostLoad& operator+=(const HostLoad& other);
};

/// For shorter intervals the kernel's clock tick of 10 ms is too coarse.
inline constexpr double min_window_s = 0.2;
/// The fraction from which on figures of the processor are not representative: one thread in ten is missing, or each is
/// available for nine tenths of the time.
inline constexpr double busy_fraction = 0.1;

/// Whether the load of a sufficiently long interval is at least busy_fraction.
inline bool is_busy(const HostLoad& load) {
  return load.window_s >= min_window_s && load.others + load.steal >= busy_fraction;
}

/// Reads the kernel's counters (/proc/stat, getrusage) of some hardware threads.
class HostLoadMeter {
 public:
  /// Meters the hardware threads that this process may use.
  HostLoadMeter();
  explicit HostLoadMeter(std::vector<int> cpus);

  void begin();
  /// The load since begin(); nothing if the kernel does not provide it.
  std::optional<HostLoad> end() const;

 private:
  struct Counters {
    double busy_s = 0, steal_s = 0, own_s = 0, wall_s = 0;
    std::int64_t switches = 0;
  };
  std::optional<Counters> read() const;

  std::vector<int> cpus_;
  std::optional<Counters> begin_;
};

/// Busy seconds (all but idle, I/O wait and stolen) and stolen seconds of some hardware threads in the text of
/// /proc/stat, with `ticks` per second; nothing if a line is missing or damaged.
struct CpuSeconds {
  double busy = 0, steal = 0;
};
std::optional<CpuSeconds> cpu_seconds(const std::string& stat, const std::vector<int>& cpus, double ticks_per_second);

}  // namespace speedwell::machine

// Who else used the processor: what other processes and the hypervisor took while something was measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace speedwell::machine {

/// What happened on some hardware threads over a time.
struct HostLoad {
  double window_s = 0;  // wall-clock time
  double others = 0;    // fraction of the threads' time that other processes and the kernel's interrupts took, 0 to 1
  double steal = 0;     // fraction that a hypervisor gave to others, 0 to 1
  std::int64_t involuntary_switches = 0;  // times that a thread of this process was made to wait for a processor

  /// The same over both times.
  HostLoad& operator+=(const HostLoad& other);
};

/// Below it the kernel's clock, of 10 ms, is too coarse.
inline constexpr double min_window_s = 0.2;
/// From so much on a figure of the processor says more about the others than about the code: one thread in ten
/// is missing, or each is there for nine tenths of the time.
inline constexpr double busy_fraction = 0.1;

/// Whether others had so much of a time that was long enough to tell.
inline bool is_busy(const HostLoad& load) {
  return load.window_s >= min_window_s && load.others + load.steal >= busy_fraction;
}

/// Reads the kernel's counters (/proc/stat, getrusage) of some hardware threads.
class HostLoadMeter {
 public:
  /// Of those that this process may run on.
  HostLoadMeter();
  explicit HostLoadMeter(std::vector<int> cpus);

  void begin();
  /// Since begin(); nothing where the kernel does not tell.
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

/// Seconds that the lines of some hardware threads in the text of /proc/stat say were busy (all but idle, waiting for
/// input and output, and stolen) and stolen, with so many ticks to a second; nothing if a line is missing or damaged.
struct CpuSeconds {
  double busy = 0, steal = 0;
};
std::optional<CpuSeconds> cpu_seconds(const std::string& stat, const std::vector<int>& cpus, double ticks_per_second);

}  // namespace speedwell::machine

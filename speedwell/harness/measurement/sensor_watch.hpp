// What a device's sensors say while it is measured. A thread of its own reads them: through NVML a reading takes
// milliseconds, as long as a hundred short samples, during which the device must not stand idle nor the harness wait.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "speedwell/machine/machine.hpp"

namespace speedwell::harness {

class SensorWatch {
 public:
  /// Watches nothing if `sensors` is null; it must outlive the watch.
  explicit SensorWatch(machine::Sensors* sensors);
  ~SensorWatch();
  SensorWatch(const SensorWatch&) = delete;
  SensorWatch& operator=(const SensorWatch&) = delete;

  /// Least and greatest of some readings.
  using Range = std::optional<std::pair<int, int>>;
  struct Seen {
    Range clock_MHz, temperature_C;
  };

  /// Begins to read, the first time at once, then every 50 ms until end().
  void begin();
  /// What was read since begin(); of a time so short that no reading ended in it, the last one.
  Seen end();
  /// Whether the last reading found the device throttled.
  bool throttled() const;
  /// The clock of the last reading, if the sensors tell it.
  std::optional<int> clock_MHz() const;
  /// A reading for the caller, who waits for it.
  machine::Reading read();

  /// Adds a value, or another range, to a range.
  static void widen(Range& range, std::optional<int> value);
  static void widen(Range& range, const Range& other);

 private:
  void run();
  void note(const machine::Reading& reading);

  machine::Sensors* sensors_;
  std::mutex reading_;        // one reading at a time
  mutable std::mutex mutex_;  // of what follows
  std::condition_variable change_;
  bool stop_ = false, active_ = false, throttled_ = false;
  unsigned passes_ = 0;  // begun
  machine::Reading last_;
  Seen seen_;
  std::thread thread_;
};

}  // namespace speedwell::harness

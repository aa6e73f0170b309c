#include "speedwell/machine/host/host_sensors.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "speedwell/machine/files.hpp"
#include "speedwell/machine/host/rapl.hpp"

namespace speedwell::machine {
namespace {

class HostSensors final : public Sensors {
 public:
  explicit HostSensors(const std::filesystem::path& root) : rapl_(root) {
    for (const auto& zone : numbered_entries(root / "sys/class/thermal", "thermal_zone"))
      if (read_text(zone / "type") == "x86_pkg_temp") temperatures_.push_back(zone / "temp");
    std::set<std::int64_t> packages;  // one processor per package is read: reading all would take milliseconds
    for (const auto& cpu : numbered_entries(root / "sys/devices/system/cpu", "cpu")) {
      const auto counter = cpu / "thermal_throttle/package_throttle_count";
      if (!read_whole(counter)) continue;
      if (packages.insert(read_whole(cpu / "topology/physical_package_id").value_or(-1)).second)
        throttle_counters_.push_back(counter);
    }
    throttle_events_ = throttle_events();
  }

  // The clock stays empty: each core has its own, and reading one takes milliseconds.
  Reading read() override {
    Reading reading;
    for (const auto& file : temperatures_)
      if (const auto millidegrees = read_whole(file))
        reading.temperature_C = std::max(reading.temperature_C.value_or(-273), static_cast<int>(*millidegrees / 1000));
    if (const auto events = throttle_events()) {
      reading.throttled = throttle_events_ && *events != *throttle_events_;  // since the previous reading
      throttle_events_ = events;
    }
    reading.energy_J = rapl_.energy_J();
    return reading;
  }

  std::string energy_source() const override { return rapl_.reason().empty() ? "RAPL package" : rapl_.reason(); }

 private:
  std::optional<std::int64_t> throttle_events() const {
    std::optional<std::int64_t> sum;
    for (const auto& file : throttle_counters_)
      if (const auto events = read_whole(file)) sum = sum.value_or(0) + *events;
    return sum;
  }

  Rapl rapl_;
  std::vector<std::filesystem::path> temperatures_, throttle_counters_;
  std::optional<std::int64_t> throttle_events_;
};

}  // namespace

std::unique_ptr<Sensors> host_sensors(const std::filesystem::path& root) { return std::make_unique<HostSensors>(root); }
std::unique_ptr<Sensors> host_sensors() { return host_sensors("/"); }

}  // namespace speedwell::machine

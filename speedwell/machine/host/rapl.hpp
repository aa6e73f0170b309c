// The processor packages' energy counters (running average power limit) from the kernel's powercap files:
// Documentation/power/powercap/powercap.rst.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace speedwell::machine {

/// The sum over all packages. Memory (dram) and platform (psys) domains are not included: few machines have them.
class Rapl {
 public:
  /// Looks for packages under <root>/sys/class/powercap.
  explicit Rapl(const std::filesystem::path& root = "/");

  /// Joules since this object was made; nothing if any package cannot be read. A counter may wrap around once between
  /// two calls: at 65 kJ or more of range that is minutes.
  std::optional<double> energy_J();
  /// Why there is no energy; empty if there is.
  const std::string& reason() const { return reason_; }

 private:
  struct Package {
    std::filesystem::path counter;  // microjoules
    std::int64_t range = 0;         // its largest value; 0 if unknown
    std::int64_t last = 0;
  };
  std::vector<Package> packages_;
  std::int64_t total_uJ_ = 0;
  std::string reason_;
};

}  // namespace speedwell::machine

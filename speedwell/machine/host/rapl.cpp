#include "speedwell/machine/host/rapl.hpp"

#include "speedwell/machine/files.hpp"

namespace speedwell::machine {

Rapl::Rapl(const std::filesystem::path& root) {
  // "intel-rapl:0" is a package (AMD's too), "intel-rapl:0:1" a part of one, "intel-rapl-mmio:0" the same counters
  // again.
  for (const auto& domain : numbered_entries(root / "sys/class/powercap", "intel-rapl:")) {
    const auto name = read_text(domain / "name");
    if (!name || !name->starts_with("package")) continue;
    Package package{domain / "energy_uj", read_whole(domain / "max_energy_range_uj").value_or(0), 0};
    const auto now = read_whole(package.counter);
    if (!now) {
      // Since 2020 the kernel lets only root read the counters (CVE-2020-8694).
      reason_ = "RAPL: " + package.counter.string() + " cannot be read (it may need root)";
      packages_.clear();
      return;
    }
    package.last = *now;
    packages_.push_back(std::move(package));
  }
  if (packages_.empty()) reason_ = "RAPL: no package energy counter under /sys/class/powercap";
}

std::optional<double> Rapl::energy_J() {
  if (packages_.empty()) return std::nullopt;
  std::int64_t step = 0;
  std::vector<std::int64_t> now;
  for (const Package& package : packages_) {
    const auto value = read_whole(package.counter);
    if (!value || (*value < package.last && package.range <= 0)) return std::nullopt;
    now.push_back(*value);
    // The counter runs from 0 to its range, both included.
    step += *value >= package.last ? *value - package.last : *value + (package.range - package.last) + 1;
  }
  for (std::size_t i = 0; i < now.size(); ++i) packages_[i].last = now[i];
  total_uJ_ += step;
  return static_cast<double>(total_uJ_) * 1e-6;
}

}  // namespace speedwell::machine

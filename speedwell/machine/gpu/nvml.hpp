// NVIDIA's management library, opened at run time: machines without a driver do not have it, and a build needs neither
// its header nor its import library.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace speedwell::machine {

class Nvml;

/// A GPU in NVML. Values that the driver or the GPU does not provide are empty.
class NvmlDevice {
 public:
  std::optional<bool> ecc() const;
  std::optional<double> power_limit_W() const;  // the one in force
  std::optional<int> clock_max_MHz() const;     // of the multiprocessors
  std::optional<int> link_generation() const;   // as it runs now
  std::optional<int> link_width() const;
  std::optional<int> clock_MHz() const;  // present clock of the multiprocessors
  std::optional<int> temperature_C() const;
  std::optional<bool> throttled() const;                         // by heat, power or the power brake
  std::optional<double> energy_J() const;                        // since the driver was loaded
  std::optional<bool> nvlink_to(const NvmlDevice& other) const;  // whether NVLink connects the two

 private:
  friend class Nvml;
  NvmlDevice(std::shared_ptr<const Nvml> library, void* handle) : library_(std::move(library)), handle_(handle) {}
  std::shared_ptr<const Nvml> library_;  // keeps the symbols and the session alive
  void* handle_;
};

class Nvml : public std::enable_shared_from_this<Nvml> {
 public:
  static constexpr const char* default_library = "libnvidia-ml.so.1";

  /// Opens the library and starts a session. Never fails: see reason().
  static std::shared_ptr<const Nvml> open(const char* library = default_library);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Why nothing can be read; empty if the session is open.
  const std::string& reason() const { return reason_; }
  std::optional<std::string> driver_version() const;
  /// Finds a GPU by UUID ("GPU-…") or else by PCI bus id ("0000:1b:00.0"): CUDA's device numbers differ, because
  /// CUDA_VISIBLE_DEVICES hides and reorders devices for CUDA only.
  std::optional<NvmlDevice> find(const std::string& uuid, const std::string& pci_bus_id) const;

 private:
  friend class NvmlDevice;
  struct Functions;
  explicit Nvml(const char* library);
  void* library_ = nullptr;
  std::unique_ptr<Functions> functions_;
  std::string reason_;
};

}  // namespace speedwell::machine

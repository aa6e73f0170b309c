// The prototypes and values below are NVML's binary interface, which NVIDIA keeps stable: NVML API Reference Guide.
#include "speedwell/machine/gpu/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <utility>

namespace speedwell::machine {
namespace {

using Status = int;  // nvmlReturn_t, where 0 is success
using Device = void*;

constexpr unsigned clock_of_multiprocessors = 1;  // NVML_CLOCK_SM
constexpr unsigned sensor_of_the_chip = 0;        // NVML_TEMPERATURE_GPU
constexpr int nvlink_capability = 2;              // NVML_P2P_CAPS_INDEX_NVLINK; the status 0 is NVML_P2P_STATUS_OK

// nvmlClocksEventReasons: idleness (0x1), an application's clock setting (0x2), sync boost (0x10) and a display's clock
// (0x100) are not throttling.
constexpr unsigned long long throttling = 0x4      // software power cap
                                          | 0x8    // hardware slowdown, by heat or power
                                          | 0x20   // software thermal slowdown
                                          | 0x40   // hardware thermal slowdown
                                          | 0x80;  // hardware power brake

struct Temperature {  // nvmlTemperature_v1_t
  unsigned version;
  unsigned sensor;
  int celsius;
};
constexpr unsigned temperature_version = sizeof(Temperature) | (1u << 24);

}  // namespace

struct Nvml::Functions {
  Status (*init)() = nullptr;
  Status (*shutdown)() = nullptr;
  const char* (*error_string)(Status) = nullptr;
  Status (*driver_version)(char*, unsigned) = nullptr;
  Status (*by_uuid)(const char*, Device*) = nullptr;
  Status (*by_pci)(const char*, Device*) = nullptr;
  Status (*ecc)(Device, unsigned*, unsigned*) = nullptr;
  Status (*power_limit)(Device, unsigned*) = nullptr;
  Status (*max_clock)(Device, unsigned, unsigned*) = nullptr;
  Status (*clock)(Device, unsigned, unsigned*) = nullptr;
  Status (*link_generation)(Device, unsigned*) = nullptr;
  Status (*link_width)(Device, unsigned*) = nullptr;
  Status (*temperature)(Device, unsigned, unsigned*) = nullptr;
  Status (*temperature_versioned)(Device, Temperature*) = nullptr;
  Status (*clock_reasons)(Device, unsigned long long*) = nullptr;
  Status (*energy)(Device, unsigned long long*) = nullptr;
  Status (*peer_status)(Device, Device, int, int*) = nullptr;
};

std::shared_ptr<const Nvml> Nvml::open(const char* library) { return std::shared_ptr<const Nvml>(new Nvml(library)); }

Nvml::Nvml(const char* library) : functions_(std::make_unique<Functions>()) {
  library_ = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!library_) {
    reason_ = std::string("NVML: ") + library + " cannot be opened: no NVIDIA driver here";
    return;
  }
  const auto bind = [&](auto& function, std::initializer_list<const char*> names) {
    for (const char* name : names) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library_, name));
      if (function) return;
    }
  };
  Functions& f = *functions_;
  bind(f.init, {"nvmlInit_v2"});
  bind(f.shutdown, {"nvmlShutdown"});
  bind(f.error_string, {"nvmlErrorString"});
  bind(f.driver_version, {"nvmlSystemGetDriverVersion"});
  bind(f.by_uuid, {"nvmlDeviceGetHandleByUUID"});
  bind(f.by_pci, {"nvmlDeviceGetHandleByPciBusId_v2"});
  bind(f.ecc, {"nvmlDeviceGetEccMode"});
  bind(f.power_limit, {"nvmlDeviceGetEnforcedPowerLimit"});
  bind(f.max_clock, {"nvmlDeviceGetMaxClockInfo"});
  bind(f.clock, {"nvmlDeviceGetClockInfo"});
  bind(f.link_generation, {"nvmlDeviceGetCurrPcieLinkGeneration"});
  bind(f.link_width, {"nvmlDeviceGetCurrPcieLinkWidth"});
  bind(f.temperature, {"nvmlDeviceGetTemperature"});
  bind(f.temperature_versioned, {"nvmlDeviceGetTemperatureV"});
  // The second is the name in drivers before 535.
  bind(f.clock_reasons, {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  bind(f.energy, {"nvmlDeviceGetTotalEnergyConsumption"});
  bind(f.peer_status, {"nvmlDeviceGetP2PStatus"});
  if (!f.init || !f.shutdown) {
    reason_ = std::string("NVML: ") + library + " has no nvmlInit_v2";
    return;
  }
  if (const Status status = f.init(); status != 0) {
    const char* text = f.error_string ? f.error_string(status) : nullptr;
    reason_ = "NVML: " + (text ? std::string(text) : "error " + std::to_string(status));
  }
}

Nvml::~Nvml() {
  if (library_ && reason_.empty()) functions_->shutdown();
  // The library is not unloaded: NVML leaves threads and thread-local destructors that need its code.
}

std::optional<std::string> Nvml::driver_version() const {
  std::array<char, 96> text{};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE is 80
  if (!reason_.empty() || !functions_->driver_version) return std::nullopt;
  if (functions_->driver_version(text.data(), static_cast<unsigned>(text.size() - 1)) != 0) return std::nullopt;
  return std::string(text.data());
}

std::optional<NvmlDevice> Nvml::find(const std::string& uuid, const std::string& pci_bus_id) const {
  if (!reason_.empty()) return std::nullopt;
  Device handle = nullptr;
  if (!uuid.empty() && functions_->by_uuid && functions_->by_uuid(uuid.c_str(), &handle) == 0)
    return NvmlDevice(shared_from_this(), handle);
  if (!pci_bus_id.empty() && functions_->by_pci && functions_->by_pci(pci_bus_id.c_str(), &handle) == 0)
    return NvmlDevice(shared_from_this(), handle);
  return std::nullopt;
}

namespace {

// The value that `function` returns through its last parameter, if the function exists and succeeds.
template <class T, class... Parameters, class... Arguments>
std::optional<T> ask(Status (*function)(Parameters...), Arguments... arguments) {
  T value{};
  if (!function || function(arguments..., &value) != 0) return std::nullopt;
  return value;
}

std::optional<int> as_int(std::optional<unsigned> value) {
  return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
}

}  // namespace

std::optional<bool> NvmlDevice::ecc() const {
  unsigned now = 0, after_reset = 0;
  const auto function = library_->functions_->ecc;
  if (!function || function(handle_, &now, &after_reset) != 0) return std::nullopt;
  return now != 0;
}
std::optional<double> NvmlDevice::power_limit_W() const {
  const auto milliwatts = ask<unsigned>(library_->functions_->power_limit, handle_);
  return milliwatts ? std::optional(*milliwatts * 1e-3) : std::nullopt;
}
std::optional<int> NvmlDevice::clock_max_MHz() const {
  return as_int(ask<unsigned>(library_->functions_->max_clock, handle_, clock_of_multiprocessors));
}
std::optional<int> NvmlDevice::link_generation() const {
  return as_int(ask<unsigned>(library_->functions_->link_generation, handle_));
}
std::optional<int> NvmlDevice::link_width() const {
  return as_int(ask<unsigned>(library_->functions_->link_width, handle_));
}
std::optional<int> NvmlDevice::clock_MHz() const {
  return as_int(ask<unsigned>(library_->functions_->clock, handle_, clock_of_multiprocessors));
}
std::optional<int> NvmlDevice::temperature_C() const {
  const Nvml::Functions& f = *library_->functions_;
  if (f.temperature_versioned) {
    Temperature reading{temperature_version, sensor_of_the_chip, 0};
    if (f.temperature_versioned(handle_, &reading) == 0) return reading.celsius;
  }
  return as_int(ask<unsigned>(f.temperature, handle_, sensor_of_the_chip));
}
std::optional<bool> NvmlDevice::throttled() const {
  const auto reasons = ask<unsigned long long>(library_->functions_->clock_reasons, handle_);
  return reasons ? std::optional((*reasons & throttling) != 0) : std::nullopt;
}
std::optional<double> NvmlDevice::energy_J() const {
  const auto millijoules = ask<unsigned long long>(library_->functions_->energy, handle_);
  return millijoules ? std::optional(static_cast<double>(*millijoules) * 1e-3) : std::nullopt;
}
std::optional<bool> NvmlDevice::nvlink_to(const NvmlDevice& other) const {
  const auto status = ask<int>(library_->functions_->peer_status, handle_, other.handle_, nvlink_capability);
  return status ? std::optional(*status == 0) : std::nullopt;
}

}  // namespace speedwell::machine

// Detection of GPUs by the CUDA runtime, and of their properties by NVML. Reading properties and attributes creates no
// CUDA context.
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "speedwell/core/cuda.hpp"
#include "speedwell/core/cuda/device_guard.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/machine/architectures.hpp"
#include "speedwell/machine/gpu/gpu_detect.hpp"
#include "speedwell/machine/gpu/nvml.hpp"

namespace speedwell::machine {
namespace {

constexpr const char* built_for = SPEEDWELL_CUDA_ARCHITECTURES;

// One session for the process: starting one takes milliseconds.
std::shared_ptr<const Nvml> shared_nvml() {
  static const std::shared_ptr<const Nvml> nvml = Nvml::open();
  return nvml;
}

// The reason for `status` of cudaGetDeviceCount. Without any driver, CUDA reports one that is too old.
std::string no_device(cudaError_t status) {
  (void)cudaGetLastError();
  int driver = 0;
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) return "no NVIDIA driver here";
  return std::string("CUDA: ") + cudaGetErrorString(status);
}

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  core::check(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

int capability(int device) {
  return 10 * attribute(cudaDevAttrComputeCapabilityMajor, device) +
         attribute(cudaDevAttrComputeCapabilityMinor, device);
}

// "GPU-" and the sixteen bytes in groups of 4, 2, 2, 2 and 6, as NVML writes it.
std::string spelled(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    std::array<char, 3> hex{};
    std::snprintf(hex.data(), hex.size(), "%02x", static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
    text += hex.data();
  }
  return text;
}

std::string pci_bus_id(int device) {
  std::array<char, 32> text{};
  if (cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), device) != cudaSuccess) {
    (void)cudaGetLastError();
    return {};
  }
  return text.data();
}

std::string spelled(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

Gpu describe(int device, const Nvml& nvml) {
  cudaDeviceProp properties{};
  core::check(cudaGetDeviceProperties(&properties, device));
  Gpu gpu;
  gpu.index = device;
  gpu.name = properties.name;
  gpu.uuid = spelled(properties.uuid);
  gpu.compute_capability = capability(device);
  gpu.multiprocessors = attribute(cudaDevAttrMultiProcessorCount, device);
  gpu.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  gpu.l2_bytes = attribute(cudaDevAttrL2CacheSize, device);
  gpu.ecc = attribute(cudaDevAttrEccEnabled, device) != 0;
  if (const int kHz = attribute(cudaDevAttrClockRate, device); kHz > 0) gpu.clock_max_MHz = kHz / 1000;
  if (const auto managed = nvml.find(gpu.uuid, pci_bus_id(device))) {
    if (const auto ecc = managed->ecc()) gpu.ecc = ecc;
    if (const auto clock = managed->clock_max_MHz()) gpu.clock_max_MHz = clock;
    gpu.power_limit_W = managed->power_limit_W();
    gpu.link_generation = managed->link_generation();
    gpu.link_width = managed->link_width();
  }
  gpu.runnable = runs_on(built_for, gpu.compute_capability);
  if (!gpu.runnable) gpu.not_runnable = why_not_runnable(built_for, gpu.compute_capability);
  return gpu;
}

class GpuSensors final : public Sensors {
 public:
  explicit GpuSensors(int device) : nvml_(shared_nvml()) {
    cudaDeviceProp properties{};
    core::check(cudaGetDeviceProperties(&properties, device));
    device_ = nvml_->find(spelled(properties.uuid), pci_bus_id(device));
  }
  Reading read() override {
    if (!device_) return {};
    return {device_->clock_MHz(), device_->temperature_C(), device_->throttled(), device_->energy_J()};
  }
  std::string energy_source() const override {
    if (!nvml_->reason().empty()) return nvml_->reason();
    if (!device_) return "NVML: it does not know this GPU";
    return device_->energy_J() ? "NVML total energy" : "NVML: this GPU has no energy counter";
  }

 private:
  std::shared_ptr<const Nvml> nvml_;
  std::optional<NvmlDevice> device_;
};

}  // namespace

Gpus detect_gpus() {
  Gpus found;
  found.cuda_runtime = spelled(CUDART_VERSION);
  const auto nvml = shared_nvml();
  found.driver = nvml->driver_version().value_or("");
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess) {
    found.reason = no_device(status);
    return found;
  }
  int version = 0;
  if (found.driver.empty() && cudaDriverGetVersion(&version) == cudaSuccess && version > 0)
    found.driver = "CUDA " + spelled(version);
  for (int device = 0; device < count; ++device) found.gpus.push_back(describe(device, *nvml));
  if (found.gpus.empty()) found.reason = "CUDA: no GPU that this process may use";
  return found;
}

void require_gpu(int device) {
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess)
    throw core::Unavailable("no GPU: " + no_device(status));
  if (device < 0 || device >= count)
    throw core::Unavailable("no GPU " + std::to_string(device) + ": this process sees " + std::to_string(count) +
                            (count == 1 ? " (number 0)" : ""));
  if (const int cc = capability(device); !runs_on(built_for, cc))
    throw core::Unavailable("GPU " + std::to_string(device) + ": " + why_not_runnable(built_for, cc));
}

std::string gpu_link_name(int first, int second) {
  const auto managed = [](int device) {
    cudaDeviceProp properties{};
    core::check(cudaGetDeviceProperties(&properties, device));
    return shared_nvml()->find(spelled(properties.uuid), pci_bus_id(device));
  };
  const auto one = managed(first), other = managed(second);
  const auto nvlink = one && other ? one->nvlink_to(*other) : std::nullopt;
  return !nvlink ? "" : *nvlink ? "NVLink" : "PCI Express";
}

std::int64_t available_device_bytes(int device) {
  require_gpu(device);
  const core::DeviceGuard guard(device);
  std::size_t available = 0, total = 0;
  core::check(cudaMemGetInfo(&available, &total));
  return static_cast<std::int64_t>(available);
}

std::unique_ptr<Sensors> gpu_sensors(int device) {
  require_gpu(device);
  return std::make_unique<GpuSensors>(device);
}

}  // namespace speedwell::machine

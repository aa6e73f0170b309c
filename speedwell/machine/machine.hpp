// The hardware of this machine: processors through hwloc, /proc and /sys, GPUs through the CUDA runtime and NVML,
// energy counters.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace speedwell::machine {

struct Cache {
  int level = 1;
  std::int64_t bytes = 0;  // size of one instance
  int shared_by = 1;       // usable cores that share one instance
  int instances = 1;       // number of instances that belong to usable cores
};

struct Cpu {
  std::string name;
  int sockets = 1;
  int numa_nodes = 1;
  int cores = 1;                                // physical cores that this process may use
  int threads = 1;                              // hardware threads that this process may use
  std::vector<int> available;                   // their numbers, ascending, before a control group's limit of time
  std::vector<Cache> caches;                    // data and unified caches, smallest level first
  std::int64_t memory_bytes = 0;                // of the machine, or the control group's limit if that is less
  std::vector<std::string> instruction_sets;    // "sse4.1", "avx2", "avx512bw", … as the processor reports them
  std::int64_t last_level_cache_bytes() const;  // all instances of the last level
};

struct Gpu {
  int index = 0;
  std::string name;
  std::string uuid;
  int compute_capability = 0;  // 90 is 9.0
  int multiprocessors = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  std::optional<bool> ecc;
  std::optional<double> power_limit_W;
  std::optional<int> clock_max_MHz;
  std::optional<int> link_generation, link_width;  // PCI Express, as currently negotiated
  bool runnable = true;                            // whether this binary has code for it
  std::string not_runnable;                        // the reason if not, with both architectures
};

struct Machine {
  std::string id;  // a digest of the hardware below: two records with the same id are of the same kind of machine;
                   // cores and GPUs that this process may not use are not included
  Cpu cpu;
  std::vector<Gpu> gpus;
  std::string gpu_reason;  // why `gpus` is empty, when it is
  std::string os, kernel;
  std::string driver;        // the GPU driver's version; empty without one
  std::string cuda_runtime;  // version built against; empty without CUDA
};

/// Describes this machine. Measures nothing, and avoids the creation of CUDA contexts.
Machine detect();
/// The machine as available to a job on these hardware threads.
Machine detect(const std::vector<int>& cpus);

/// The GPU with this index; null if the machine has none. It belongs to `machine`.
const Gpu* find_gpu(const Machine& machine, int index);

/// The hardware threads on which this process may run, ascending: the union of the affinity mask and the OpenMP places,
/// because an OpenMP library that binds threads restricts the main thread's mask to its first place.
std::vector<int> allowed_cpus();

/// Bytes that can be allocated now.
std::int64_t available_host_bytes();
/// Throws core::Unavailable without the device.
std::int64_t available_device_bytes(int device);

/// Sensor values at one time; values that cannot be read are empty, not zero.
struct Reading {
  std::optional<int> clock_MHz;
  std::optional<int> temperature_C;
  std::optional<bool> throttled;   // for heat or power, not for idleness or an application's clock setting
  std::optional<double> energy_J;  // since an arbitrary time; only differences are meaningful
};

/// The counters of one device. Reading costs microseconds.
class Sensors {
 public:
  virtual ~Sensors() = default;
  virtual Reading read() = 0;
  virtual std::string energy_source() const = 0;  // "NVML total energy", "RAPL package", or why there is none
};
std::unique_ptr<Sensors> host_sensors();
/// Throws core::Unavailable without the device. Without NVML all values are empty, and energy_source() has the reason.
std::unique_ptr<Sensors> gpu_sensors(int device);

}  // namespace speedwell::machine

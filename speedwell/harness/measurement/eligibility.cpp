// Which variants can run here, why the others cannot, and what the devices are called.
#include <fmt/format.h>

#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/measurement/experiment.hpp"

namespace speedwell::harness {
namespace {
constexpr const char* no_devices = "no GPU is to be used (--devices none)";
}

std::string device_name(DeviceKind kind, int threads, int gpu, const machine::Machine& machine) {
  if (kind == DeviceKind::gpu) {
    const machine::Gpu* const found = machine::find_gpu(machine, gpu);
    return "one " + (found ? found->name : "GPU");
  }
  if (kind == DeviceKind::core) return "one core of " + machine.cpu.name;
  return threads > machine.cpu.cores && machine.cpu.threads > machine.cpu.cores
             ? fmt::format("{} on {} of {}", core::counted(threads, "thread"), core::counted(machine.cpu.cores, "core"),
                           machine.cpu.name)
             : fmt::format("{} of {}", core::counted(threads, "core"), machine.cpu.name);
}

std::string device_name(const Outcome& o, const machine::Machine& machine) {
  const std::size_t ranks = o.placement.size();
  const auto gpus = static_cast<std::size_t>(o.gpus);
  if (o.device != DeviceKind::gpu || ranks < 2) return device_name(o.device, o.threads, o.gpu, machine);
  const machine::Gpu* const gpu = machine::find_gpu(machine, o.gpu);
  const std::string name = gpu ? gpu->name : "GPU";
  const std::string devices = gpus == 1 ? "one " + name : fmt::format("{} x {}", gpus, name);
  return gpus == ranks ? devices : fmt::format("{} ranks on {}", ranks, devices);
}

RankDevicesOrReason devices_of_ranks(const comm::Communicator& ranks, const machine::Machine& machine,
                                     const Measurement& m) {
  std::vector<comm::VisibleDevice> mine;
  for (const int device : m.devices)
    if (const machine::Gpu* const gpu = machine::find_gpu(machine, device))
      mine.push_back({gpu->index, gpu->name, gpu->uuid});
  const std::string none = machine.gpus.empty() ? machine.gpu_reason : no_devices;
  try {
    return {comm::devices_of_ranks(ranks, mine, none, m.share_devices), {}};
  } catch (const core::Unavailable& e) {
    return {std::nullopt, e.what()};
  }
}

namespace {

std::string short_of(const char* what, double needed, double available) {
  return fmt::format("needs {} of {} memory, {} available", core::format_bytes(needed), what,
                     core::format_bytes(available));
}

// Why the variant has no GPU, or the index of that which it runs on.
std::optional<std::string> lacks_gpu(const Variant& variant, const Measurement& m,
                                     const ExecutionEnvironment& environment, int& device) {
  if (environment.machine->gpus.empty()) return environment.machine->gpu_reason;
  if (m.devices.empty()) return no_devices;
  device = m.devices.front();
  if (variant.backend == Backend::multi && environment.rank_devices) {
    if (!environment.rank_devices->devices) return environment.rank_devices->reason;
    device = environment.rank_devices->devices->device;
  }
  const machine::Gpu* const gpu = machine::find_gpu(*environment.machine, device);
  return gpu && !gpu->runnable ? std::optional(gpu->not_runnable) : std::nullopt;
}

// Bytes that must be free on this rank's GPU: the shares of all ranks that use it.
double device_bytes_here(const Footprint& need, const Variant& variant, const ExecutionEnvironment& environment) {
  if (variant.backend != Backend::multi || !environment.ranks || !environment.rank_devices ||
      !environment.rank_devices->devices)
    return need.device_bytes;
  return need.device_bytes / environment.ranks->size() * environment.rank_devices->devices->ranks_on_device;
}

}  // namespace

std::optional<std::string> skip_reason(const Application& application, const Problem& problem, const Variant& variant,
                                       const Measurement& m, const ExecutionEnvironment& environment) {
  if (!variant.make) return variant.unavailable_reason.empty() ? "not in this build" : variant.unavailable_reason;
  if (variant.backend == Backend::mpi && !environment.ranks)
    return "runs on ranks: --ranks N, or name it (--variant) for one rank";
  if (variant.backend == Backend::multi && !environment.ranks)
    return "runs on several GPUs: --gpus N, or name it (--variant) for one";
  const bool gpu = uses_gpu(variant.backend);
  int device = -1;
  if (gpu)
    if (auto reason = lacks_gpu(variant, m, environment, device)) return reason;
  if (variant.missing)
    if (auto reason = variant.missing()) return reason;
  if (variant.unsupported_reason)
    if (auto reason = variant.unsupported_reason(problem)) return reason;
  if (gpu && m.devices.size() < 2 && application.work && application.work(problem).between_gpus)
    return "needs a second GPU, and one is used";
  if (variant.unsupported_ranks_reason && environment.ranks)
    if (auto reason = variant.unsupported_ranks_reason(problem, environment.ranks->size())) return reason;
  if (variant.footprint) {
    const Footprint need = variant.footprint(problem);
    const auto host = static_cast<double>(machine::available_host_bytes());
    if (need.host_bytes > host) return short_of("host", need.host_bytes, host);
    if (const double needed = device_bytes_here(need, variant, environment); gpu && needed > 0) {
      const auto available = static_cast<double>(machine::available_device_bytes(device));
      if (needed > available) return short_of("device", needed, available);
    }
  }
  return std::nullopt;
}

std::optional<std::string> memory_missing_for_problem(const Application& application, const Problem& problem) {
  const double needed = application.footprint ? application.footprint(problem).host_bytes : 0;
  const auto available = static_cast<double>(machine::available_host_bytes());
  if (needed <= available) return std::nullopt;
  return "the problem " + short_of("host", needed, available);
}

}  // namespace speedwell::harness

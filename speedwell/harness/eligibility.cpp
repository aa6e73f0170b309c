// Which variants can run here, why the others cannot, and what the devices are called.
#include <fmt/format.h>

#include <stdexcept>

#include "speedwell/core/units.hpp"
#include "speedwell/harness/experiment.hpp"

namespace speedwell::harness {

std::string to_string(Status status) {
  switch (status) {
    case Status::passed:
      return "passed";
    case Status::failed:
      return "failed";
    case Status::skipped:
      return "skipped";
    case Status::error:
      return "error";
  }
  throw std::logic_error("a status without a name");
}

std::string device_name(DeviceKind kind, int threads, int gpu, const machine::Machine& machine) {
  if (kind == DeviceKind::gpu) {
    for (const machine::Gpu& g : machine.gpus)
      if (g.index == gpu) return "one " + g.name;
    return "one GPU";
  }
  if (kind == DeviceKind::core) return "one core of " + machine.cpu.name;
  return threads > machine.cpu.cores && machine.cpu.threads > machine.cpu.cores
             ? fmt::format("{} threads on {} cores of {}", threads, machine.cpu.cores, machine.cpu.name)
             : fmt::format("{} cores of {}", threads, machine.cpu.name);
}

std::optional<std::string> skip_reason(const Application&, const Problem& problem, const Variant& variant,
                                       const Measurement& m, const ExecutionEnvironment& environment) {
  if (!variant.make) return variant.unavailable_reason.empty() ? "not in this build" : variant.unavailable_reason;
  if (variant.backend == Backend::mpi && !environment.ranks)
    return "runs on ranks: mpirun -n RANKS speedwell …, or name it (--variant) for one rank";
  const bool gpu = variant.backend == Backend::cuda || variant.backend == Backend::nccl;
  if (gpu) {
    if (environment.machine->gpus.empty()) return environment.machine->gpu_reason;
    if (m.devices.empty()) return "no GPU is to be used (--devices none)";
    for (const machine::Gpu& g : environment.machine->gpus)
      if (g.index == m.devices.front() && !g.runnable) return g.not_runnable;
  }
  if (variant.missing)
    if (auto reason = variant.missing()) return reason;
  if (variant.unsupported_reason)
    if (auto reason = variant.unsupported_reason(problem)) return reason;
  if (variant.unsupported_ranks_reason && environment.ranks)
    if (auto reason = variant.unsupported_ranks_reason(problem, environment.ranks->size())) return reason;
  if (variant.footprint) {
    const Footprint need = variant.footprint(problem);
    const auto short_of = [](const char* what, double needed, double available) {
      return fmt::format("needs {} of {} memory, {} available", core::format_bytes(needed), what,
                         core::format_bytes(available));
    };
    const auto host = static_cast<double>(machine::available_host_bytes());
    if (need.host_bytes > host) return short_of("host", need.host_bytes, host);
    if (gpu && need.device_bytes > 0) {
      const auto device = static_cast<double>(machine::available_device_bytes(m.devices.front()));
      if (need.device_bytes > device) return short_of("device", need.device_bytes, device);
    }
  }
  return std::nullopt;
}

}  // namespace speedwell::harness

#include "speedwell/harness/tables/npb_block.hpp"

#include <fmt/format.h>

#include "speedwell/core/statistics.hpp"
#include "speedwell/harness/tables/table.hpp"

namespace speedwell::harness {
namespace {

// The release whose tables of expected values are used.
constexpr const char* npb_version = "3.4";

std::string line(const std::string& label, const std::string& value) {
  return fmt::format(" {:<15} = {:>24}\n", label, value);
}

std::string block(const Outcome& o, const machine::Machine& machine) {
  const NpbTitle title = o.application->npb_title(o.problem);
  const double seconds = o.execute.empty() ? 0 : median_seconds(o.execute);
  const double rate = seconds > 0 ? o.work.updates / seconds / 1e6 : 0;
  std::string text = fmt::format("\n\n {} Benchmark Completed\n", title.name);
  text += line("Class", title.problem_class);
  text += line("Size", title.size);
  text += line("Iterations", std::to_string(title.iterations));
  text += line("Time in seconds", fmt::format("{:.6f}", seconds));
  if (o.device == DeviceKind::gpu) {
    text += line("Device", device_name(o, machine));
  } else {
    text += line("Total threads", std::to_string(o.threads));
    text += line("Avail threads", std::to_string(machine.cpu.threads));
  }
  text += line("Mop/s total", fmt::format("{:.2f}", rate));
  if (o.device != DeviceKind::gpu) text += line("Mop/s/thread", fmt::format("{:.2f}", rate / o.threads));
  text += line("Operation type", title.operation);
  text += line("Verification", o.status == Status::passed ? "SUCCESSFUL" : "UNSUCCESSFUL");
  text += line("Version", npb_version);
  return text + line("Variant", o.variant->name);
}

}  // namespace

std::string npb_blocks(const std::vector<Outcome>& outcomes, const machine::Machine& machine) {
  std::string text;
  for (const Outcome& o : outcomes)
    text += o.status == Status::passed || o.status == Status::failed
                ? block(o, machine)
                : fmt::format("\n {} {}: {}\n", o.variant->name, to_string(o.status), printable(o.reason));
  return text;
}

}  // namespace speedwell::harness

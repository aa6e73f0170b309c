#include "speedwell/harness/tables/listing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "speedwell/core/units.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/tables/table.hpp"

namespace speedwell::harness {
namespace {

std::string availability(const Variant& v, const machine::Machine& machine) {
  if (!v.make) return v.unavailable_reason;
  return uses_gpu(v.backend) && machine.gpus.empty() ? machine.gpu_reason : "";
}

/// Reasons by number, each once.
class Footnotes {
 public:
  /// "(1)"; nothing without a reason.
  std::string mark(const std::string& reason) {
    if (reason.empty()) return {};
    auto found = std::find(reasons_.begin(), reasons_.end(), reason);
    if (found == reasons_.end()) found = reasons_.insert(found, reason);
    return fmt::format("({})", found - reasons_.begin() + 1);
  }
  std::string text() const {
    std::string lines;
    for (std::size_t i = 0; i < reasons_.size(); ++i)
      lines += fmt::format("({}) not here: {}\n", i + 1, printable(reasons_[i]));
    return lines;
  }

 private:
  std::vector<std::string> reasons_;
};

std::string variants_of(const Application& application, const machine::Machine& machine, Footnotes& reasons) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& v : application.variants)
    rows.push_back({"  " + v.name, to_string(v.role), reasons.mark(availability(v, machine)),
                    v.description + (v.lineage.empty() ? "" : " [" + v.lineage + "]")});
  return columns(rows, 4);
}

std::string sizes_of(const Application& application) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& s : application.sizes) rows.push_back({"  " + s.name, s.summary});
  return columns(rows, 2);
}

std::string parameters_of(const Application& application) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& p : application.parameters)
    rows.push_back({"  " + p.key + "=" + to_string(p.default_value), p.description});
  return columns(rows, 2);
}

}  // namespace

std::string list_applications(const std::vector<Application>& applications) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& a : applications) rows.push_back({a.name, a.summary});
  return columns(rows, 2);
}

std::string list_application(const Application& application, const machine::Machine& machine) {
  Footnotes reasons;
  std::string text = application.name + ": " + application.summary + "\n\nvariants\n";
  text += variants_of(application, machine, reasons);
  text += "sizes\n" + sizes_of(application);
  text += "parameters, with their defaults\n" + parameters_of(application);
  return text + reasons.text();
}

std::string list_variants(const std::vector<Application>& applications, const machine::Machine& machine) {
  Footnotes reasons;
  std::string text;
  for (const auto& a : applications) {
    text += a.name + "\n";
    text += variants_of(a, machine, reasons);
  }
  return text + reasons.text();
}

std::string list_sizes(const std::vector<Application>& applications) {
  std::string text;
  for (const auto& a : applications) text += a.name + "\n" + sizes_of(a) + "  parameters:\n" + parameters_of(a);
  return text;
}

std::string list_devices(const machine::Machine& machine) {
  std::string text = fmt::format("host: {} of {}, {}\n", core::counted(machine.cpu.cores, "core"), machine.cpu.name,
                                 core::format_bytes(static_cast<double>(machine.cpu.memory_bytes)));
  for (const auto& g : machine.gpus)
    text += fmt::format("gpu {}: {}, {}, compute capability {}.{}{}\n", g.index, g.name,
                        core::format_bytes(static_cast<double>(g.memory_bytes)), g.compute_capability / 10,
                        g.compute_capability % 10, g.runnable ? "" : " (" + g.not_runnable + ")");
  if (machine.gpus.empty()) text += "gpu: none: " + machine.gpu_reason + "\n";
  return text;
}

}  // namespace speedwell::harness

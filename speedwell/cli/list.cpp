// list: applications, variants, sizes and devices; what is missing is listed with the reason, which is told once.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "speedwell/catalogue.hpp"
#include "speedwell/cli/command.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/core/closest_match.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/table.hpp"

namespace speedwell::cli {
namespace {

using Applications = std::vector<harness::Application>;

void list_applications(const Applications& applications) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& a : applications) rows.push_back({a.name, a.summary});
  std::cout << harness::columns(rows, 2);
}

std::string availability(const harness::Variant& v, const machine::Machine& machine) {
  if (!v.make) return v.unavailable_reason;
  const bool gpu = v.backend == harness::Backend::cuda || v.backend == harness::Backend::nccl;
  return gpu && machine.gpus.empty() ? machine.gpu_reason : "";
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
  void print() const {
    for (std::size_t i = 0; i < reasons_.size(); ++i)
      std::cout << fmt::format("({}) not here: {}\n", i + 1, harness::printable(reasons_[i]));
  }

 private:
  std::vector<std::string> reasons_;
};

void list_variants(const harness::Application& application, const machine::Machine& machine, Footnotes& reasons) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& v : application.variants)
    rows.push_back({"  " + v.name, harness::to_string(v.role), reasons.mark(availability(v, machine)),
                    v.description + (v.lineage.empty() ? "" : " [" + v.lineage + "]")});
  std::cout << harness::columns(rows, 4);
}

void list_sizes(const harness::Application& application) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& s : application.sizes) rows.push_back({"  " + s.name, s.summary});
  std::cout << harness::columns(rows, 2);
}

void list_parameters(const harness::Application& application) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& p : application.parameters)
    rows.push_back({"  " + p.key + "=" + harness::to_string(p.default_value), p.description});
  std::cout << harness::columns(rows, 2);
}

void list_devices(const machine::Machine& machine) {
  std::cout << fmt::format("host: {} cores of {}, {}\n", machine.cpu.cores, machine.cpu.name,
                           core::format_bytes(static_cast<double>(machine.cpu.memory_bytes)));
  for (const auto& g : machine.gpus)
    std::cout << fmt::format("gpu {}: {}, {}, compute capability {}.{}{}\n", g.index, g.name,
                             core::format_bytes(static_cast<double>(g.memory_bytes)), g.compute_capability / 10,
                             g.compute_capability % 10, g.runnable ? "" : " (" + g.not_runnable + ")");
  if (machine.gpus.empty()) std::cout << "gpu: none: " << machine.gpu_reason << "\n";
}

// list APP
void list_one(const harness::Application& application, const machine::Machine& machine) {
  Footnotes reasons;
  std::cout << application.name << ": " << application.summary << "\n\nvariants\n";
  list_variants(application, machine, reasons);
  std::cout << "sizes\n";
  list_sizes(application);
  std::cout << "parameters, with their defaults\n";
  list_parameters(application);
  reasons.print();
}

// list variants, list sizes
void list_part(const std::string& what, const Applications& applications, const machine::Machine& machine) {
  Footnotes reasons;
  for (const auto& a : applications) {
    std::cout << a.name << "\n";
    if (what == "variants") {
      list_variants(a, machine, reasons);
      continue;
    }
    list_sizes(a);
    std::cout << "  parameters:\n";
    list_parameters(a);
  }
  reasons.print();
}

}  // namespace

int list(const Arguments& arguments) {
  CLI::App app(
      "What is built in and what this machine has: the applications; of one its variants, sizes and parameters.",
      "speedwell list");
  RunOptions options;
  std::string what, name;
  app.add_option("WHAT", what, "an application, or one part of all (apps): apps, variants, sizes or devices");
  app.add_option("APP", name, "only this application (all)");
  add_verbosity_options(app, options);
  if (const auto done = parse(app, arguments)) return *done;
  std::vector<std::string> known = {"apps", "variants", "sizes", "devices"};
  Applications applications = catalogue();
  if (!name.empty()) applications = {harness::find_application(applications, name)};
  const machine::Machine machine = machine::detect();
  if (what.empty() || what == "apps") {
    list_applications(applications);
    if (what.empty())
      std::cout
          << "\nspeedwell list APP shows the variants, sizes and parameters of one; list devices this machine's.\n";
  } else if (what == "devices") {
    list_devices(machine);
  } else if (what == "variants" || what == "sizes") {
    list_part(what, applications, machine);
  } else {
    for (const auto& a : applications) {
      if (a.name == what && name.empty()) {
        list_one(a, machine);
        return 0;
      }
      known.push_back(a.name);
    }
    throw UsageError(core::unknown_name("list", what, known), "speedwell list --help");
  }
  return 0;
}

}  // namespace speedwell::cli

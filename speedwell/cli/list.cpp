// list: applications, variants, sizes and devices; what is missing is listed with the reason.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <iostream>

#include "speedwell/catalogue.hpp"
#include "speedwell/cli/command.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/core/nearest.hpp"
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
  if (!v.make) return v.not_built;
  const bool gpu = v.backend == harness::Backend::cuda || v.backend == harness::Backend::nccl;
  return gpu && machine.gpus.empty() ? machine.gpu_reason : "";
}

void list_variants(const Applications& applications, const machine::Machine& machine) {
  for (const auto& a : applications) {
    std::cout << a.name << "\n";
    std::vector<std::vector<std::string>> rows;
    for (const auto& v : a.variants) {
      const std::string missing = availability(v, machine);
      rows.push_back({"  " + v.name, harness::to_string(v.role),
                      v.adds + (v.lineage.empty() ? "" : " [" + v.lineage + "]") +
                          (missing.empty() ? "" : " (not here: " + missing + ")")});
    }
    std::cout << harness::columns(rows, 3);
  }
}

void list_sizes(const Applications& applications) {
  for (const auto& a : applications) {
    std::cout << a.name << "\n";
    std::vector<std::vector<std::string>> rows;
    for (const auto& s : a.sizes) rows.push_back({"  " + s.name, s.summary});
    rows.push_back({"  parameters:", ""});
    for (const auto& p : a.parameters)
      rows.push_back({"    " + p.key + "=" + harness::to_string(p.fallback), p.description});
    std::cout << harness::columns(rows, 2);
  }
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

}  // namespace

int list(const Arguments& arguments) {
  CLI::App app("Lists what is built in and what this machine has.", "speedwell list");
  RunOptions options;
  std::string what, name;
  app.add_option("WHAT", what, "only one part: apps, variants, sizes or devices");
  app.add_option("APP", name, "only this application");
  add_talk_options(app, options);
  if (const auto done = parse(app, arguments)) return *done;
  const std::vector<std::string> parts = {"apps", "variants", "sizes", "devices"};
  if (!what.empty() && std::find(parts.begin(), parts.end(), what) == parts.end())
    throw UsageError(core::unknown_name("list", what, parts), "speedwell list --help");
  Applications applications = catalogue();
  if (!name.empty()) applications = {harness::find_application(applications, name)};
  const machine::Machine machine = machine::detect();
  const auto section = [&](const char* title, auto print) {
    if (what.empty()) std::cout << title << "\n";
    print();
    if (what.empty()) std::cout << "\n";
  };
  if (what.empty() || what == "apps") section("APPLICATIONS", [&] { list_applications(applications); });
  if (what.empty() || what == "variants") section("VARIANTS", [&] { list_variants(applications, machine); });
  if (what.empty() || what == "sizes") section("SIZES", [&] { list_sizes(applications); });
  if (what.empty() || what == "devices") section("DEVICES", [&] { list_devices(machine); });
  return 0;
}

}  // namespace speedwell::cli

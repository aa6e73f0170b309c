// checkpoint: what the checkpoints of a run hold, and whether they are what was written.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "speedwell/cli/command.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/core/closest_match.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/record.hpp"
#include "speedwell/harness/table.hpp"
#include "speedwell/io/escape.hpp"
#include "speedwell/simulation/checkpoint_inspection.hpp"

namespace speedwell::cli {
namespace {

using Checked = simulation::InspectedCheckpoint;

std::string table_of(const std::vector<Checked>& all, bool verified) {
  std::vector<std::vector<std::string>> rows = {{"checkpoint", "fields", "step", "time", "size"}};
  if (verified) rows.front().emplace_back("verdict");
  for (const Checked& c : all) {
    rows.push_back({io::escape(std::filesystem::path(c.path).filename().string()),
                    c.fields.empty() ? "-" : simulation::fields_text(c.fields), c.step ? std::to_string(*c.step) : "-",
                    c.time ? fmt::format("{:.10g}", *c.time) : "-",
                    c.fields.empty() ? "-" : core::format_bytes(static_cast<double>(c.bytes()))});
    if (verified) rows.back().emplace_back(c.fault ? "FAILED" : c.leftover ? "leftover" : "ok");
  }
  return harness::columns(rows, 2);
}

nlohmann::ordered_json document_of(const std::vector<Checked>& all, bool verified) {
  nlohmann::ordered_json document = {{"schema", "speedwell-checkpoints/1"}, {"error", nullptr}};
  for (const Checked& c : all)
    if (verified && c.fault && document["error"].is_null()) {
      const Failure f = failure_of(*c.fault);
      document["error"] =
          harness::error_document(f.status, f.id, f.message, f.hint, f.file, f.line, f.column).at("error");
    }
  document["checkpoints"] = nlohmann::ordered_json::array();
  for (const Checked& c : all) {
    nlohmann::ordered_json one = {{"path", c.path}, {"step", nullptr}, {"time", nullptr}, {"run", nullptr}};
    if (c.step) one["step"] = *c.step;
    if (c.run) one["run"] = *c.run;
    if (c.time) one["time"] = *c.time;
    one["fields"] = nlohmann::ordered_json::array();
    for (const auto& f : c.fields)
      one["fields"].push_back({{"name", f.name}, {"element", f.element}, {"shape", f.shape}, {"bytes", f.bytes}});
    if (verified) one["whole"] = !c.fault && !c.leftover;
    one["leftover"] = c.leftover;
    one["fault"] = nullptr;
    if (c.fault) one["fault"] = {{"id", c.fault->id()}, {"message", c.fault->message()}};
    document["checkpoints"].push_back(std::move(one));
  }
  return document;
}

}  // namespace

int checkpoint(const Arguments& arguments) {
  CLI::App app("What the checkpoints of a run hold, and whether they are what was written.", "speedwell checkpoint");
  RunOptions options;
  std::string what, folder;
  app.add_option("WHAT", what, "list or verify")->required();
  app.add_option("DIR", folder, "the run's folder, or its folder of checkpoints")->required();
  app.add_option("--format", options.format, "text or json")->type_name("F");
  add_verbosity_options(app, options);
  if (const auto done = parse(app, arguments)) return *done;
  const std::vector<std::string> known = {"list", "verify"};
  if (std::find(known.begin(), known.end(), what) == known.end())
    throw UsageError(core::unknown_name("word", what, known), "speedwell checkpoint --help");
  const Format format = format_of(options.format);
  if (format != Format::text && format != Format::json) throw UsageError("checkpoint prints text or json", "");
  const bool verify = what == "verify";
  const std::vector<Checked> all = simulation::inspect_checkpoints(folder, verify);
  if (format == Format::json)
    std::cout << harness::dump(harness::Json(document_of(all, verify))) << "\n";
  else
    std::cout << table_of(all, verify);
  int status = 0;
  for (const Checked& c : all)
    if (verify && c.fault) {
      const Failure failure = failure_of(*c.fault);
      std::cerr << text_of(failure);
      status = failure.status;
    }
  return status;
}

}  // namespace speedwell::cli

#include "speedwell/session/checkpoints.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "speedwell/core/units.hpp"
#include "speedwell/harness/records/record.hpp"
#include "speedwell/harness/tables/table.hpp"
#include "speedwell/io/escape.hpp"
#include "speedwell/process/failure.hpp"

namespace speedwell::session {

using simulation::InspectedCheckpoint;

std::string checkpoints_table(const std::vector<InspectedCheckpoint>& all, bool verified) {
  std::vector<std::vector<std::string>> rows = {{"checkpoint", "fields", "step", "time", "size"}};
  if (verified) rows.front().emplace_back("verdict");
  for (const InspectedCheckpoint& c : all) {
    rows.push_back({io::escape(std::filesystem::path(c.path).filename().string()),
                    c.fields.empty() ? "-" : simulation::fields_text(c.fields), c.step ? std::to_string(*c.step) : "-",
                    c.time ? fmt::format("{:.10g}", *c.time) : "-",
                    c.fields.empty() ? "-" : core::format_bytes(static_cast<double>(c.bytes()))});
    if (verified) rows.back().emplace_back(c.fault ? "FAILED" : c.leftover ? "leftover" : "ok");
  }
  return harness::columns(rows, 2);
}

std::string checkpoints_document(const std::vector<InspectedCheckpoint>& all, bool verified) {
  harness::Json document = {{"schema", "speedwell-checkpoints/1"}, {"error", nullptr}};
  for (const InspectedCheckpoint& c : all)
    if (verified && c.fault && document["error"].is_null()) {
      const process::Failure f = process::failure_of(*c.fault);
      document["error"] =
          harness::error_document(f.status, f.id, f.message, f.hint, f.file, f.line, f.column).at("error");
    }
  document["checkpoints"] = harness::Json::array();
  for (const InspectedCheckpoint& c : all) {
    harness::Json one = {{"path", c.path}, {"step", nullptr}, {"time", nullptr}, {"run", nullptr}};
    if (c.step) one["step"] = *c.step;
    if (c.run) one["run"] = *c.run;
    if (c.time) one["time"] = *c.time;
    one["fields"] = harness::Json::array();
    for (const auto& f : c.fields)
      one["fields"].push_back({{"name", f.name}, {"element", f.element}, {"shape", f.shape}, {"bytes", f.bytes}});
    if (verified) one["whole"] = !c.fault && !c.leftover;
    one["leftover"] = c.leftover;
    one["fault"] = nullptr;
    if (c.fault) one["fault"] = {{"id", c.fault->id()}, {"message", c.fault->message()}};
    document["checkpoints"].push_back(std::move(one));
  }
  return harness::dump(document) + "\n";
}

}  // namespace speedwell::session

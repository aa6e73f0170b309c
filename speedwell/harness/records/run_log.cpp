#include "speedwell/harness/records/run_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "speedwell/core/units.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/io/atomic_file.hpp"

namespace speedwell::harness {

RunLog::RunLog(Session session, std::string chosen_variants, std::string folder)
    : session_(std::move(session)), chosen_variants_(std::move(chosen_variants)), folder_(std::move(folder)) {}

// The message is one line and includes the values that the run reports, such as the number of iterations.
RunLog::Failed RunLog::failure_in(const Outcome& o) {
  std::string values;
  for (const auto& [name, value] : o.choices)
    values += fmt::format("{}{} {}", values.empty() ? " (" : ", ", name, value);
  if (!values.empty()) values += ")";
  const bool wrong = o.status == Status::failed;
  return {wrong ? 1 : o.exit_status, wrong ? "verdict" : o.error_id,
          fmt::format("{} {}: {}{}; problem: {}", o.application->name, o.variant->name, o.reason, values,
                      key_of(o.problem))};
}

// Whether the variant is chosen by its full name, as opposed to a pattern that matches it.
bool RunLog::is_named_exactly(const Variant& variant) const {
  const std::string list = "," + chosen_variants_ + ",";
  return list.find("," + variant.name + ",") != std::string::npos;
}

void RunLog::add(const std::vector<Outcome>& outcomes, const machine::Machine& machine,
                 const machine::Ceilings& ceilings) {
  for (const Outcome& o : outcomes) {
    runs_.push_back(record_of(o, machine));
    if (o.host_load && o.device != DeviceKind::gpu) host_load_ += *o.host_load;
    if (!folder_.empty()) {
      Json line = document(machine, ceilings, session_);
      line["runs"].push_back(runs_.back());
      io::append_line(folder_ + "/records.jsonl", dump(line, -1));
    }
    if (o.status == Status::failed) status_ = 1;
    if (o.status == Status::error && status_ == 0) status_ = o.exit_status;
    if (o.status == Status::failed || o.status == Status::error) failures_.push_back(failure_in(o));
    if (o.status == Status::skipped && is_named_exactly(*o.variant)) named_skips_.push_back(o);
  }
}

RunEnd RunLog::end(const machine::Machine& machine, const machine::Ceilings& ceilings, int interrupted) {
  RunEnd end{.status = status_, .document = document(machine, ceilings, session_)};
  for (const auto& r : runs_) end.document["runs"].push_back(r);
  // A variant that does not support some problems of a family is skipped there with a reason. That is an error only if
  // it ran on no other problem.
  std::erase_if(named_skips_, [&](const Outcome& skipped) {
    return std::any_of(runs_.begin(), runs_.end(), [&](const Json& r) {
      return r["application"] == skipped.application->name && r["variant"]["name"] == skipped.variant->name &&
             r["status"] != "skipped";
    });
  });
  const bool nothing_ran =
      !runs_.empty() && std::all_of(runs_.begin(), runs_.end(), [](const auto& r) { return r["status"] == "skipped"; });
  if (status_ == 0 && interrupted == 0 && (!named_skips_.empty() || nothing_ran)) {
    end.status = 4;
    const auto& r = runs_.front();
    end.unavailable = named_skips_.empty()
                          ? fmt::format("{} {}: {}", r["application"].get<std::string>(),
                                        r["variant"]["name"].get<std::string>(), r["reason"].get<std::string>())
                          : fmt::format("{} {}: {}", named_skips_.front().application->name,
                                        named_skips_.front().variant->name, named_skips_.front().reason);
    end.document["error"] = error_document(4, "unavailable", end.unavailable, "", "", 0, 0)["error"];
  }
  if (interrupted != 0) end.status = interrupted;
  for (const Failed& f : failures_) {
    end.errors.push_back(f.message);
    if (f.status == end.status && end.document["error"].is_null())
      end.document["error"] = error_document(f.status, f.id, f.message, "", "", 0, 0)["error"];
  }
  if (machine::is_busy(host_load_)) end.busy_percent = 100 * (host_load_.others + host_load_.steal);
  return end;
}

std::vector<std::string> details(const std::vector<Outcome>& outcomes) {
  std::vector<std::string> lines;
  for (const Outcome& o : outcomes) {
    if (o.execute.empty()) continue;
    double seconds = 0;
    for (const Sample& s : o.execute) seconds += s.seconds;
    std::string text =
        fmt::format("{} {}: {}, {} in {}, {} checked", o.application->name, o.variant->name,
                    core::counted(pass_count(o.execute), "pass", "passes"), core::counted(o.execute.size(), "sample"),
                    core::format_seconds(seconds), core::counted(o.checked_executes, "answer"));
    if (!o.plan.empty()) text += ", first plan " + core::format_seconds(o.plan.front());
    for (const auto& [name, value] : o.choices) text += fmt::format(", {} {}", name, value);
    lines.push_back(text);
  }
  return lines;
}

}  // namespace speedwell::harness

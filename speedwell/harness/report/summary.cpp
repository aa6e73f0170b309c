// The summary, the failures, and the cells that several tables share.
#include <fmt/format.h>

#include <algorithm>

#include "speedwell/harness/report/sections.hpp"

namespace speedwell::harness::report {
namespace {

using records::Run;
using records::Status;

// Why nothing was timed on devices of this kind.
std::string reason_of(const std::vector<const Run*>& runs, std::string_view kind, std::string_view backend) {
  bool any = false;
  for (const Run* run : runs) {
    if (run->device.kind != kind && run->variant.backend != backend) continue;
    any = true;
    if (!run->timed() && !run->reason.empty()) return run->reason;
  }
  return any ? "no passing run" : "no variant for it";
}

// "openmp 12.3 ms", the device in full, and the fastest library there if it is faster.
Cell best_cell(const Run* run, const std::vector<const Run*>& runs, const std::string& reason) {
  if (!run) return {"–<small>" + escape(reason) + "</small>", {}, "none"};
  Cell cell{fmt::format("<code>{}</code> {}<small>{}</small>", escape(run->variant.name),
                        escape(seconds(run->phases.execute->median)), escape(run->device.name)),
            {},
            "wide"};
  const Run* peer = fastest(runs, run->device.kind, Whose::peer);
  if (peer && peer->phases.execute->median < run->phases.execute->median)
    cell.html += fmt::format("<small>a library is faster here: <code>{}</code> {}</small>", escape(peer->variant.name),
                             escape(seconds(peer->phases.execute->median)));
  return cell;
}

// The ratio of the fastest on either device, and their names.
Cell best_ratio_cell(const std::vector<const Run*>& runs) {
  const Comparison best = best_against_best(runs, &records::Phases::execute);
  if (!best.ratio) return missing("needs a passing run on both devices");
  Cell cell = ratio_cell(*best.ratio);
  cell.html += fmt::format("<small><code>{}</code> against <code>{}</code></small>", escape(best.gpu->variant.name),
                           escape(best.host->variant.name));
  return cell;
}

// A name of several words, which may go on in the next line of its cell after an underscore.
Cell breakable(const std::string& name) {
  Cell cell;
  for (const char c : escape(name)) {
    cell.html += c;
    if (c == '_') cell.html += "<wbr>";
  }
  return cell;
}

// `labels`: of all the application's problems.
std::vector<Cell> summary_row(const ApplicationRuns& application, const Family& family, const Labels& labels) {
  const ProblemRuns& problem = family.largest();
  const auto [host, gpu, unused] = same_algorithm(problem.runs, &records::Phases::execute);
  Cell name{escape(labels.of(problem)), problem.label, "wide"};
  if (family.problems.size() > 1)
    name.html +=
        fmt::format("<small>the largest of {} values of {}</small>", family.problems.size(), escape(family.sweep));
  std::vector<const Run*> all;
  for (const ProblemRuns& p : family.problems) all.insert(all.end(), p.runs.begin(), p.runs.end());
  const bool failed = std::any_of(
      all.begin(), all.end(), [](const Run* r) { return r->status == Status::failed || r->status == Status::error; });
  const auto ratio = [&](PhaseOf phase) {
    const auto found = same_algorithm(problem.runs, phase).ratio;
    return found ? ratio_cell(*found) : missing("needs a passing run of one algorithm on both devices");
  };
  const auto limit = [](const Run* run) { return run ? limit_cell(*run) : missing("no passing run"); };
  return {breakable(application.name),
          name,
          best_cell(host, problem.runs, reason_of(problem.runs, "cores", "openmp")),
          best_cell(gpu, problem.runs, reason_of(problem.runs, "gpu", "cuda")),
          ratio(&records::Phases::execute),
          ratio(&records::Phases::end_to_end),
          best_ratio_cell(problem.runs),
          limit(host),
          limit(gpu),
          {escape(count_text(all)),
           {},
           failed        ? "bad"
           : host || gpu ? "ok"
                         : ""}};
}

std::string tolerance_text(const Run& run) {
  if (!run.verdict) return {};
  const auto shown = [](const std::optional<double>& v) { return v ? fmt::format("{:.3g}", *v) : "not finite"; };
  return fmt::format("error {}, tolerance {}; {}", shown(run.verdict->error), shown(run.verdict->tolerance),
                     run.verdict->oracle);
}

}  // namespace

Cell verdict_cell(const Run& run) {
  const std::string reason = run.reason.empty() ? "" : "<small>" + escape(run.reason) + "</small>";
  std::string marks;
  if (run.throttled.value_or(false)) marks += "<small>throttled</small>";
  if (run.cache_resident && run.timed()) marks += "<small>fits a cache</small>";
  switch (run.status) {
    case Status::passed:
      return {"<span class=\"ok\">✓ ok</span>" + marks, tolerance_text(run), {}};
    case Status::failed:
      return {"<span class=\"bad\">✗ FAILED</span><small>" + escape(tolerance_text(run)) + "</small>" + reason, {}, {}};
    case Status::error:
      return {"<span class=\"bad\">✗ error</span>" + reason, {}, {}};
    case Status::skipped:
      return {"– skipped" + reason, {}, {}};
  }
  return {};
}

std::string count_text(const std::vector<const Run*>& runs) {
  std::string text;
  for (const auto& [status, word] : {std::pair{Status::passed, "ok"}, std::pair{Status::failed, "FAILED"},
                                     std::pair{Status::error, "in error"}, std::pair{Status::skipped, "skipped"}}) {
    const auto n =
        std::count_if(runs.begin(), runs.end(), [&, s = status](const Run* run) { return run->status == s; });
    if (n > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, word);
  }
  return text.empty() ? "no runs" : text;
}

Cell limit_cell(const Run& run) {
  if (!run.timed()) return missing("not timed");
  if (!run.limit || !run.limit->fraction) return missing(run.limit_reason.empty() ? "no limit" : run.limit_reason);
  const records::Limit& limit = *run.limit;
  Cell cell{escape(percent(*limit.fraction)), {}, "n"};
  cell.html += "<small>" + escape(limit.bound) + "</small>";
  cell.hint =
      fmt::format("the least time is {}, bound by {}: ceiling {}", seconds(limit.time_s), limit.bound, limit.ceiling);
  if (limit.ceiling_value) cell.hint += fmt::format(", {} {}", figure(*limit.ceiling_value), limit.ceiling_unit);
  return cell;
}

Cell prediction_cell(const Run& run) {
  if (!run.timed()) return missing("not timed");
  if (!run.prediction || !run.prediction->ratio)
    return missing(run.prediction_reason.empty() ? "the application has no model of it" : run.prediction_reason);
  Cell cell = value(figure(*run.prediction->ratio), "the model '" + run.prediction->model + "'");
  cell.html += "<small>" + escape(seconds(run.prediction->time_s)) + "</small>";
  return cell;
}

Cell rate_cell(const Run& run) {
  const std::vector<const Run*> alone{&run};
  const Merit which = merit_of(alone);
  const auto rate = merit(run, which);
  if (!rate || which == Merit::time) return missing(run.timed() ? "no rate says anything about it" : "not timed");
  return value(figure(rate->value) + " " + merit_unit(alone, which));
}

std::string problem_name(const ApplicationRuns& application, const ProblemRuns& problem) {
  const std::string label = Labels(application.runs).of(problem);
  return application.name + (label.empty() ? "" : " ") + label;
}

std::string failures_section(const std::vector<records::Document>& documents, const std::vector<MachineRuns>& machines,
                             const Detail& detail) {
  Table table;
  table.columns = {"What", "Variant", "Device", "Outcome", "Exit status"};
  table.cards = true;
  for (const records::Document& document : documents)
    if (document.failure)
      table.rows.push_back(
          {text("the command: " + document.session.command_line),
           missing("no run"),
           missing("no run"),
           {"<span class=\"bad\">✗ error</span> <code>" + escape(document.failure->id) + "</code><small>" +
                escape(document.failure->message) + "</small><small>" + escape(document.failure->hint) + "</small>",
            {},
            {}},
           value(std::to_string(document.failure->status))});
  for (const MachineRuns& machine : machines)
    for (const bool old : {false, true})
      for (const Run* run : old ? machine.superseded : machine.runs) {
        if (run->status != Status::failed && run->status != Status::error) continue;
        Cell name = text(run->key);
        if (old) name.html += "<small>from an earlier session; a later record of this run stands in the tables</small>";
        table.rows.push_back({name, code(run->variant.name), text(run->device.name), verdict_cell(*run),
                              value(std::to_string(run->exit_status))});
      }
  if (table.rows.empty()) return {};
  return "<section class=\"failures\" id=\"failures\"><h2>Failures</h2><p>These did not give a verified result. None "
         "of "
         "their times enters any speedup below.</p>" +
         table.html(detail.rows) + "</section>\n";
}

std::string summary_section(const MachineRuns& machine, const Detail& detail) {
  Table table;
  table.cards = true;
  table.columns = {"Application",         "Problem",          "Processor, best",
                   "GPU, best",           "Speedup, execute", "Speedup, end to end",
                   "Best against best",   "Processor: of limit", "GPU: of limit", "Verdicts"};
  for (const ApplicationRuns& application : machine.applications) {
    const Labels labels(application.runs);
    for (const Family& family : application.families) table.rows.push_back(summary_row(application, family, labels));
  }
  return "<p>Device against device: Speedwell's fastest verified variant on the GPU against its fastest of the same "
         "algorithm on all cores of the processor (on one core where none ran on all). Best against best: execute of the "
         "fastest there is on either, whatever its algorithm, libraries by others included.</p>" +
         table.html(detail.rows);
}

}  // namespace speedwell::harness::report

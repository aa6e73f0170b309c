// One application: its variants side by side, and plots of what sets them apart.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "speedwell/harness/report/sections.hpp"

namespace speedwell::harness::report {
namespace {

using records::Phase;
using records::Run;
using Runs = std::vector<const Run*>;

// What speedups are counted from. `all` is null on a machine where nothing ran on all cores.
struct Bases {
  const Run* core;
  const Run* cores;
  const Run* cores_end_to_end;  // the best in that phase
  explicit Bases(const Runs& runs)
      : core(fastest(runs, "core", Whose::own)),
        cores(fastest(runs, "cores", Whose::own)),
        cores_end_to_end(fastest(runs, "cores", Whose::own, &records::Phases::end_to_end)) {}

  std::string sentence() const {
    std::string words;
    if (core) words += fmt::format("One core is {} on {}. ", core->variant.name, core->device.name);
    if (cores) words += fmt::format("All cores are {} on {}", cores->variant.name, cores->device.name);
    if (cores_end_to_end && cores_end_to_end != cores)
      words += fmt::format(", end to end {}", cores_end_to_end->variant.name);
    if (cores) words += ". ";
    return words;
  }
};

Cell speedup_cell(const Run* base, const Run& run, std::optional<Phase> records::Phases::*phase) {
  if (!run.timed()) return missing("not timed");
  if (!base) return missing("nothing to compare with passed");
  const auto ratio = speedup(base->phases.*phase, run.phases.*phase);
  if (!ratio) return missing("the phase was not timed");
  if (base == &run) return value("1×", "this is the one that others are compared with");
  return ratio_cell(*ratio);
}

Cell variant_cell(const Run& run) {
  std::string html = code(run.variant.name).html;
  if (run.variant.role == "peer") html += " (library)";
  if (!run.variant.adds.empty()) html += "<small>" + escape(run.variant.adds) + "</small>";
  if (!run.variant.lineage.empty()) html += "<small>" + escape("in the study: " + run.variant.lineage) + "</small>";
  return {html, {}, {}};
}

Cell phase_cell(const std::optional<Phase>& phase, const Run& run) {
  return phase ? time_cell(*phase) : missing(run.timed() ? "this variant has no such phase" : "not timed");
}

Cell device_cell(const Run& run) {
  if (run.device.name.empty()) return missing("it got no device");
  return {escape(run.device.name), {}, "wide"};
}

bool any_predicted(const Runs& runs) {
  return std::any_of(runs.begin(), runs.end(), [](const Run* r) { return r->prediction.has_value(); });
}

std::string variant_table(const Runs& runs, const Detail& detail) {
  const Bases bases(runs);
  const bool energy =
      std::any_of(runs.begin(), runs.end(), [](const Run* r) { return r->energy.execute_J.has_value(); });
  const bool predicted = any_predicted(runs);
  Table table;
  table.cards = true;
  table.columns = {"Variant", "Device", "Execute, median", "End to end", "Rate", "Of limit"};
  if (predicted) table.columns.push_back("Predicted over measured");
  if (energy) table.columns.push_back("Energy of one execute");
  for (const char* column : {"Execute: speedup over one core", "Execute: speedup over all cores",
                             "End to end: speedup over all cores", "Verdict"})
    table.columns.push_back(column);
  for (const Run* run : runs) {
    std::vector<Cell> row = {variant_cell(*run),
                             device_cell(*run),
                             phase_cell(run->phases.execute, *run),
                             phase_cell(run->phases.end_to_end, *run),
                             rate_cell(*run),
                             limit_cell(*run)};
    if (predicted) row.push_back(prediction_cell(*run));
    if (energy)
      row.push_back(run->energy.execute_J
                        ? value(figure(*run->energy.execute_J) + " J", run->energy.source)
                        : missing(run->energy_reason.empty() ? "no energy was measured" : run->energy_reason));
    row.push_back(speedup_cell(bases.core, *run, &records::Phases::execute));
    row.push_back(speedup_cell(bases.cores, *run, &records::Phases::execute));
    row.push_back(speedup_cell(bases.cores_end_to_end, *run, &records::Phases::end_to_end));
    row.push_back(verdict_cell(*run));
    table.rows.push_back(std::move(row));
  }
  return table.html(detail.rows);
}

std::string speedup_figure(const Runs& runs, std::optional<Phase> records::Phases::*phase, const std::string& title,
                           Plotter& plotter) {
  const Bases bases(runs);
  const std::array<std::pair<const Run*, const char*>, 2> both = {
      {{bases.core, "over one core"}, {bases.cores, "over all cores"}}};
  BarChart chart{"times as fast as the base [×]", {}, {}, {}};
  Table data;
  data.columns = {"Variant", "Device"};
  for (const auto& [base, name] : both) {
    if (!base) continue;
    chart.series.push_back(name);
    data.columns.push_back(std::string("Speedup ") + name + " [interval]");
  }
  for (const Run* run : runs) {
    if (!run->timed()) continue;
    std::vector<std::optional<Bar>> row;
    std::vector<Cell> cells = {code(run->variant.name), device_cell(*run)};
    for (const auto& [base, name] : both) {
      if (!base) continue;
      cells.push_back(speedup_cell(base, *run, phase));
      const auto ratio = base == run ? std::nullopt : speedup(base->phases.*phase, run->phases.*phase);
      row.push_back(ratio ? std::optional(Bar{ratio->value, ratio->interval, times(ratio->value)}) : std::nullopt);
    }
    if (std::none_of(row.begin(), row.end(), [](const auto& bar) { return bar.has_value(); })) continue;
    chart.labels.push_back(run->variant.name);
    chart.bars.push_back(std::move(row));
    data.rows.push_back(std::move(cells));
  }
  if (chart.bars.empty()) return {};
  return plotter.figure(
      title, bases.sentence() + "Bars begin at 1: to the right is faster, to the left slower. Whiskers are intervals.",
      bar_script(chart), data);
}

std::string ladder_figure(const Runs& runs, Plotter& plotter) {
  const std::vector<Step> steps = ladder(runs);
  if (steps.empty()) return {};
  BarChart chart{"times as fast as the step before [×]", {"gain"}, {}, {}};
  Table data;
  data.columns = {"Step", "Adds", "Execute", "Gain over the step before", "Since the first step"};
  for (const Step& step : steps) {
    const auto total = speedup(steps.front().run->phases.execute, step.run->phases.execute);
    data.rows.push_back({code(step.run->variant.name), text(step.run->variant.adds),
                         time_cell(*step.run->phases.execute),
                         step.gain ? ratio_cell(*step.gain) : missing("the first step"),
                         step.before ? value(times(total->value)) : missing("the first step")});
    if (!step.gain) continue;
    chart.labels.push_back(step.run->variant.name);
    chart.bars.push_back({Bar{step.gain->value, step.gain->interval, times(step.gain->value)}});
  }
  return plotter.figure(
      "Ladder: what each step gains",
      fmt::format("Execute times; each step adds one idea to the one before. The first is {}. A bar to the "
                  "left of 1 is a step that lost time.",
                  steps.front().run->variant.name),
      bar_script(chart), data);
}

std::string phases_figure(const Runs& runs, Plotter& plotter) {
  StackChart chart{
      "share of the time from allocation to result [%]", {"allocate", "upload", "execute", "download"}, {}, {}, {}};
  Table data;
  data.columns = {"Variant", "Allocate", "Upload", "Execute", "Download", "End to end"};
  for (const Run* run : runs) {
    if (!run->timed()) continue;
    const records::Phases& p = run->phases;
    std::vector<double> times;
    double sum = 0;
    std::vector<Cell> cells = {code(run->variant.name)};
    for (const auto* phase : {&p.allocate, &p.upload, &p.execute, &p.download}) {
      times.push_back(*phase ? (*phase)->median : 0);
      sum += times.back();
      cells.push_back(phase_cell(*phase, *run));
    }
    cells.push_back(phase_cell(p.end_to_end, *run));
    for (double& time : times) time *= 100 / sum;
    chart.labels.push_back(run->variant.name);
    chart.notes.push_back(p.end_to_end ? seconds(p.end_to_end->median) : "");
    chart.shares.push_back(std::move(times));
    data.rows.push_back(std::move(cells));
  }
  if (chart.labels.empty()) return {};
  return plotter.figure(
      "Where the time goes",
      "Shares of the medians of the four phases; on the right, the median end-to-end time. A processor "
      "works in place and has no upload or download.",
      stack_script(chart), data);
}

std::string energy_figure(const Runs& runs, Plotter& plotter) {
  const Run* base = nullptr;
  BarChart chart{"energy of the base over energy of this [×]", {"gain"}, {}, {}};
  Table data;
  data.columns = {"Variant", "Device", "Energy of one execute", "Average power"};
  for (const Run* run : runs) {
    if (!run->timed() || !run->energy.execute_J || !(*run->energy.execute_J > 0)) continue;
    const double joules = *run->energy.execute_J;
    data.rows.push_back({code(run->variant.name), device_cell(*run), value(figure(joules) + " J"),
                         value(figure(joules / run->phases.execute->median) + " W")});
    if (base) {
      const double ratio = *base->energy.execute_J / joules;
      chart.labels.push_back(run->variant.name);
      chart.bars.push_back({Bar{ratio, std::nullopt, times(ratio)}});
    } else {
      base = run;
    }
  }
  if (chart.bars.empty()) return {};
  return plotter.figure(
      "Energy",
      fmt::format("Energy of one execute, by the devices' own counters: how many times less than {} on {}.",
                  base->variant.name, base->device.name),
      bar_script(chart), data);
}

Runs runs_of(const Family& family) {
  Runs all;
  for (const ProblemRuns& problem : family.problems) all.insert(all.end(), problem.runs.begin(), problem.runs.end());
  return all;
}

std::string curve_figure(const Family& family, Plotter& plotter) {
  const Runs all = runs_of(family);
  std::map<std::pair<std::string, std::string>, std::size_t> lines;  // (variant, device) to the place of its curve
  CurveChart chart;
  const Merit which = merit_of(all);
  const std::string unit = merit_unit(all, which);
  Table data;
  data.columns = {family.sweep};
  for (const ProblemRuns& problem : family.problems)
    for (const Run* run : problem.runs) {
      const auto y = merit(*run, which);
      if (!y || !(*problem.abscissa > 0)) continue;
      const auto [at, fresh] = lines.try_emplace({run->variant.name, run->device.name}, chart.curves.size());
      if (fresh) chart.curves.push_back({run->variant.name, {}, Curve::Look::joined});
      chart.curves[at->second].points.push_back({*problem.abscissa, y->value, y->interval});
    }
  const auto longest = std::max_element(chart.curves.begin(), chart.curves.end(), [](const Curve& a, const Curve& b) {
    return a.points.size() < b.points.size();
  });
  if (longest == chart.curves.end() || longest->points.size() < 3) return {};
  for (const Curve& curve : chart.curves) data.columns.push_back(curve.label + " [" + unit + "]");
  for (const ProblemRuns& problem : family.problems) {
    std::vector<Cell> row = {text(fmt::format("{:.12g}", *problem.abscissa))};
    row.resize(data.columns.size(), missing("no passing run"));
    for (const Run* run : problem.runs)
      if (const auto at = lines.find({run->variant.name, run->device.name}); at != lines.end())
        if (const auto y = merit(*run, which)) row[at->second + 1] = value(figure(y->value));
    data.rows.push_back(std::move(row));
  }
  chart.x_label = family.sweep + (family.sweep.find("byte") == std::string::npos ? " [count]" : " [B]");
  chart.y_label = (which == Merit::time ? "execute [" : "rate [") + unit + "]";
  return plotter.figure((which == Merit::time ? "Time against " : "Rate against ") + family.sweep,
                        "Both axes are logarithmic. Whiskers are intervals, where they are wider than the marks.",
                        curve_script(chart), data);
}

// The runs of a family whose problem is not the one shown in full.
std::string other_problems(const Family& family, const Detail& detail) {
  if (family.problems.size() < 2) return {};
  Table table;
  table.columns = {"Problem", "Variant", "Execute", "End to end", "Rate", "Of limit", "Verdict"};
  const Runs all = runs_of(family);
  const Labels labels(all);
  const bool predicted = any_predicted(all);
  if (predicted) table.columns.push_back("Predicted over measured");
  for (const ProblemRuns& problem : family.problems) {
    if (&problem == &family.largest()) continue;
    for (const Run* run : problem.runs) {
      table.rows.push_back({text(labels.of(problem)), code(run->variant.name), phase_cell(run->phases.execute, *run),
                            phase_cell(run->phases.end_to_end, *run), rate_cell(*run), limit_cell(*run),
                            verdict_cell(*run)});
      if (predicted) table.rows.back().push_back(prediction_cell(*run));
    }
  }
  return fmt::format("<details><summary>The {} runs of the smaller problems</summary>{}</details>\n", table.rows.size(),
                     table.html(detail.rows));
}

std::string headline(const ProblemRuns& problem) {
  if (const auto execute = same_algorithm(problem.runs, &records::Phases::execute).ratio) {
    const auto total = same_algorithm(problem.runs, &records::Phases::end_to_end).ratio;
    return fmt::format("{} execute, {} end to end on the GPU", times(execute->value), total ? times(total->value) : "–");
  }
  const Bases bases(problem.runs);
  if (bases.core && bases.cores) {
    const auto ratio = speedup(bases.core->phases.execute, bases.cores->phases.execute);
    return fmt::format("all cores {} over one core", times(ratio->value));
  }
  return count_text(problem.runs);
}

std::string family_html(const ApplicationRuns& application, const Family& family, bool open, Plotter& plotter) {
  const ProblemRuns& problem = family.largest();
  std::string html =
      fmt::format("<details class=\"family\"{}><summary>{} <span>— {}</span></summary>\n", open ? " open" : "",
                  escape(problem_name(application, problem)), escape(headline(problem)));
  if (family.problems.size() > 1)
    html += fmt::format(
        "<p class=\"note\">The largest of {} problems that differ in {}; the others are in the curve and at the "
        "end.</p>",
        family.problems.size(), escape(family.sweep));
  html += variant_table(problem.runs, plotter.detail());
  std::string figures = speedup_figure(problem.runs, &records::Phases::execute, "Speedup, execute alone", plotter);
  figures += speedup_figure(problem.runs, &records::Phases::end_to_end, "Speedup, end to end", plotter);
  figures += ladder_figure(problem.runs, plotter);
  figures += phases_figure(problem.runs, plotter);
  figures += energy_figure(problem.runs, plotter);
  figures += curve_figure(family, plotter);
  if (!figures.empty()) html += "<div class=\"plots\">" + figures + "</div>\n";
  return html + other_problems(family, plotter.detail()) + "</details>\n";
}

}  // namespace

std::string application_section(const ApplicationRuns& application, const std::string& id, Plotter& plotter) {
  std::string html =
      fmt::format("<section class=\"application\" id=\"{}\"><h2>{}{}</h2>\n<p>{} runs: {}.</p>\n", id,
                  escape(application.name), application.title.empty() ? "" : ": " + escape(application.title),
                  application.runs.size(), escape(count_text(application.runs)));
  if (const std::string shared = Labels(application.runs).everywhere(); !shared.empty())
    html += fmt::format("<p class=\"note\">Everywhere {}.</p>\n", escape(shared, 2000));
  std::size_t shown = 0;
  for (const Family& family : application.families) {
    if (shown == plotter.detail().families) break;
    html += family_html(application, family, shown == 0, plotter);
    ++shown;
  }
  if (shown < application.families.size())
    html += fmt::format(
        "<p class=\"note\">{} more problems are left out, so that the file stays small: the records hold them.</p>",
        application.families.size() - shown);
  return html + "</section>\n";
}

}  // namespace speedwell::harness::report

#include "speedwell/harness/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "speedwell/core/units.hpp"
#include "speedwell/harness/tables/table.hpp"

namespace speedwell::harness {
namespace {

double updates_per_second(const records::Run& run) {
  const double seconds = run.phases.execute->median;
  return run.work && run.work->updates > 0 ? run.work->updates / seconds : 1 / seconds;
}

/// "3.1 GB/s" of each: the application's rate, or else its bandwidth.
std::string rate_of_each(const records::Run& run, int ranks) {
  if (run.rates.rate) return fmt::format("{} {}", core::format_number(*run.rates.rate / ranks), run.rates.rate_name);
  if (run.rates.bandwidth_GBps) return core::format_number(*run.rates.bandwidth_GBps / ranks) + " GB/s";
  return "-";
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string interval_text(const records::Phase& phase) {
  if (!phase.interval || phase.median <= 0) return fmt::format("n={}", phase.passes);
  return percent((phase.interval->second - phase.interval->first) / 2 / phase.median);
}

std::string verdict_text(const records::Run& run) {
  switch (run.status) {
    case records::Status::passed:
      return "ok";
    case records::Status::failed:
      return "WRONG: " + printable(run.reason);
    case records::Status::skipped:
    case records::Status::error:
      break;
  }
  return printable(run.reason);
}

std::vector<std::string> predicted_row(const ScalingPoint& first, const PredictedPoint& point,
                                       const ScalingWords& words) {
  const std::size_t cells = words.compared.empty() ? 7 : 8;  // without the verdict
  std::vector<std::string> row{std::to_string(point.ranks)};
  if (!point.time || !first.run.timed()) {
    row.resize(cells, "-");
    row.push_back("not predicted: " + printable(point.reason));
    return row;
  }
  const double speedup = point.updates / point.time->seconds / updates_per_second(first.run);
  const double efficiency = speedup * first.ranks / point.ranks;
  row.push_back(core::format_seconds(point.time->seconds));
  row.emplace_back("-");
  row.push_back(fmt::format("{:.2f}", speedup));
  row.push_back(percent(efficiency));
  row.emplace_back("-");
  row.push_back(percent(point.time->exposed / point.time->seconds));
  row.resize(cells, "-");
  row.emplace_back("predicted");
  return row;
}

}  // namespace

std::optional<ScalingFigures> figures_of(const ScalingPoint& first, const ScalingPoint& point) {
  if (!first.run.timed() || !point.run.timed()) return std::nullopt;
  const double more_ranks = static_cast<double>(point.ranks) / first.ranks;
  ScalingFigures figures;
  figures.speedup = updates_per_second(point.run) / updates_per_second(first.run);
  figures.efficiency = figures.speedup / more_ranks;
  const records::Phase &base = *first.run.phases.execute, &here = *point.run.phases.execute;
  if (base.interval && here.interval && here.interval->first > 0)
    figures.efficiency_interval = {
        figures.efficiency * base.interval->first / base.median * here.median / here.interval->second,
        figures.efficiency * base.interval->second / base.median * here.median / here.interval->first};
  if (point.run.phases.exchange) figures.exposed = point.run.phases.exchange->median / here.median;
  if (point.compared && point.compared->timed())
    figures.over_compared = updates_per_second(point.run) / updates_per_second(*point.compared);
  return figures;
}

std::string scaling_table(const std::vector<ScalingPoint>& points, const ScalingWords& words,
                          const std::vector<PredictedPoint>& predicted) {
  const bool exchanges = !predicted.empty() || std::any_of(points.begin(), points.end(), [](const ScalingPoint& p) {
    return p.run.timed() && p.run.phases.exchange.has_value();
  });
  std::vector<std::string> header{words.unit + "s", "execute",    "+-95%",
                                  "speed-up",       "efficiency", "rate of a " + words.unit};
  if (exchanges) header.emplace_back("exposed");
  if (!words.compared.empty()) header.push_back(words.compared);
  header.emplace_back("verdict");
  std::vector<std::vector<std::string>> rows{header};
  for (const ScalingPoint& point : points) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(std::to_string(point.ranks));
    if (!point.run.timed()) {
      row.resize(header.size() - 1, "-");
      row.push_back(verdict_text(point.run));
      continue;
    }
    row.push_back(core::format_seconds(point.run.phases.execute->median));
    row.push_back(interval_text(*point.run.phases.execute));
    const auto figures = figures_of(points.front(), point);
    row.push_back(figures ? fmt::format("{:.2f}", figures->speedup) : "-");
    row.push_back(figures ? percent(figures->efficiency) : "-");
    row.push_back(rate_of_each(point.run, point.ranks));
    const auto& exchange = point.run.phases.exchange;
    if (exchanges) row.push_back(exchange ? percent(exchange->median / point.run.phases.execute->median) : "-");
    if (!words.compared.empty()) {
      const bool both = point.compared && point.compared->timed();
      row.push_back(both ? fmt::format("{:.2f}", updates_per_second(point.run) / updates_per_second(*point.compared))
                         : "-");
    }
    row.push_back(verdict_text(point.run));
  }
  for (const PredictedPoint& point : predicted) rows.push_back(predicted_row(points.front(), point, words));
  return columns(rows, 0);
}

std::string scaling_summary(const std::vector<ScalingPoint>& points, Scaling scaling, const ScalingWords& words) {
  std::vector<const ScalingPoint*> timed;
  for (const ScalingPoint& point : points)
    if (point.run.timed()) timed.push_back(&point);
  if (timed.size() < 2 || !points.front().run.timed()) return {};
  const ScalingPoint& last = *timed.back();
  const ScalingFigures figures = *figures_of(points.front(), last);
  std::string text = fmt::format("{} scaling from {} to {} {}s: {:.2f} times the rate, {} efficiency",
                                 scaling == Scaling::strong ? "strong" : "weak", points.front().ranks, last.ranks,
                                 words.unit, figures.speedup, percent(figures.efficiency));
  if (const auto& interval = figures.efficiency_interval)
    text += fmt::format(" ({} to {})", percent(interval->first), percent(interval->second));
  if (figures.exposed)
    text += fmt::format("; {} of execute is communication that is not hidden", percent(*figures.exposed));
  return text;
}

}  // namespace speedwell::harness

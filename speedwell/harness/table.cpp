#include "speedwell/harness/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "speedwell/core/statistics.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/problems.hpp"

namespace speedwell::harness {
namespace {

bool timed(const Outcome& o) { return o.status == Status::passed && !o.execute.empty(); }

std::string time_text(const std::vector<double>& samples) {
  return samples.empty() ? "-" : core::format_seconds(core::median(samples));
}

// Half the 95 % interval, relative to the median.
std::string spread_text(const std::vector<double>& samples) {
  const auto interval = core::median_interval(samples);
  if (!interval) return "-";
  return fmt::format("{:.1f} %", 50 * (interval->second - interval->first) / core::median(samples));
}

std::string limit_text(const Outcome& o) {
  if (!o.limit.limit) return "-";
  return fmt::format("{:.0f} %", 100 * o.limit.limit->seconds / core::median(o.execute));
}

std::string ratio_text(double ratio) { return std::isfinite(ratio) ? fmt::format("{:.2f}", ratio) : "-"; }

std::string verdict_text(const Outcome& o) {
  switch (o.status) {
    case Status::passed: return "ok";
    case Status::failed: return "FAILED";
    case Status::skipped: return "skipped";
    case Status::error: return "ERROR";
  }
  return "";
}

std::string title_of(const Outcome& o) { return printable(key_of(o.problem)); }

std::string reasons(const std::vector<Outcome>& outcomes) {
  std::string text;
  for (const Outcome& o : outcomes)
    if (!o.reason.empty()) text += fmt::format("  {}: {}\n", o.variant->name, printable(o.reason));
  return text;
}

std::string predictions(const std::vector<Outcome>& outcomes) {
  std::string text;
  for (const Outcome& o : outcomes) {
    if (!timed(o)) continue;
    if (o.prediction)
      text += fmt::format("  {}: the model '{}' foresees {}, {:.2f} of what was measured\n", o.variant->name,
                          o.prediction->model, core::format_seconds(o.prediction->seconds),
                          o.prediction->seconds / core::median(o.execute));
    else if (!o.prediction_reason.empty())
      text += fmt::format("  {}: nothing foreseen: {}\n", o.variant->name, printable(o.prediction_reason));
  }
  return text;
}

std::string devices(const std::vector<Outcome>& outcomes, const machine::Machine& machine) {
  std::vector<std::string> lines;
  for (const Outcome& o : outcomes) {
    if (!timed(o)) continue;
    const std::string name = device_name(o.device, o.threads, o.gpu, machine);
    const std::string line = fmt::format("  {}: {}\n", o.device == DeviceKind::gpu ? "gpu" : to_string(o.variant->backend), name);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  std::string text;
  for (const auto& l : lines) text += l;
  return text;
}

const Outcome* fastest(const std::vector<Outcome>& outcomes, DeviceKind kind) {
  const Outcome* best = nullptr;
  for (const Outcome& o : outcomes)
    if (timed(o) && o.device == kind && o.variant->role != Role::peer &&
        (!best || core::median(o.execute) < core::median(best->execute)))
      best = &o;
  return best;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x20 || u == 0x7f) out += fmt::format("\\x{:02x}", u);
    else out += c;
  }
  return out;
}

std::string columns(const std::vector<std::vector<std::string>>& rows, std::size_t left) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c == widths.size()) widths.push_back(0);
      widths[c] = std::max(widths[c], row[c].size());
    }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c)
      line += c < left ? fmt::format("{:<{}}  ", row[c], widths[c]) : fmt::format("{:>{}}  ", row[c], widths[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

const Outcome* reference_of(const std::vector<Outcome>& outcomes) {
  for (const Backend backend : {Backend::openmp, Backend::serial})
    for (const Outcome& o : outcomes)
      if (timed(o) && o.variant->backend == backend && o.variant->role != Role::peer) return &o;
  return nullptr;
}

std::string rate_text(const Outcome& o) {
  if (!timed(o)) return "-";
  const double seconds = core::median(o.execute);
  if (!(seconds > 0)) return "-";
  if (!o.application->rate_name.empty() && o.work.updates > 0)
    return fmt::format("{} {}", core::format_number(o.work.updates / seconds / o.application->rate_scale),
                       o.application->rate_name);
  const double bytes = o.work.bytes_read + o.work.bytes_written;
  if (bytes > 0) return fmt::format("{} GB/s", core::format_number(bytes / seconds / 1e9));
  if (o.work.operations > 0) return fmt::format("{} Gop/s", core::format_number(o.work.operations / seconds / 1e9));
  return "-";
}

std::string comparison_table(const std::vector<Outcome>& outcomes, const machine::Machine& machine) {
  if (outcomes.empty()) return {};
  const Outcome* reference = reference_of(outcomes);
  std::vector<std::vector<std::string>> rows = {
      {"variant", "execute", "+-95%", "rate", "limit", "end to end", "x exec", "x total", "verdict"}};
  for (const Outcome& o : outcomes) {
    if (!timed(o)) {
      rows.push_back({o.variant->name, "-", "-", "-", "-", "-", "-", "-", verdict_text(o)});
      continue;
    }
    const double execute = reference ? core::median(reference->execute) / core::median(o.execute) : NAN;
    const double total = reference ? core::median(reference->end_to_end) / core::median(o.end_to_end) : NAN;
    rows.push_back({o.variant->name, time_text(o.execute), spread_text(o.execute), rate_text(o), limit_text(o),
                    time_text(o.end_to_end), ratio_text(execute), ratio_text(total), verdict_text(o)});
  }
  std::string text = title_of(outcomes.front()) + "\n" + columns(rows, 1);
  if (reference)
    text += fmt::format("  speedups are over {} on {}\n", reference->variant->name,
                        device_name(reference->device, reference->threads, reference->gpu, machine));
  return text + devices(outcomes, machine) + predictions(outcomes) + reasons(outcomes);
}

std::string ladder_table(const std::vector<Outcome>& outcomes, const machine::Machine& machine) {
  if (outcomes.empty()) return {};
  std::vector<std::vector<std::string>> rows = {{"step", "execute", "rate", "limit", "gain", "since first", "verdict"}};
  const Outcome *first = nullptr, *before = nullptr;
  std::string legend;
  for (const Outcome& o : outcomes) {
    if (o.variant->role != Role::step && o.variant->role != Role::best) continue;
    legend += fmt::format("  {}: {}{}\n", o.variant->name, o.variant->adds,
                          o.variant->lineage.empty() ? "" : fmt::format(" [{}]", o.variant->lineage));
    if (!timed(o)) {
      rows.push_back({o.variant->name, "-", "-", "-", "-", "-", verdict_text(o)});
      continue;
    }
    const double now = core::median(o.execute);
    rows.push_back({o.variant->name, time_text(o.execute), rate_text(o), limit_text(o),
                    before ? ratio_text(core::median(before->execute) / now) : "-",
                    first ? ratio_text(core::median(first->execute) / now) : "-", verdict_text(o)});
    if (!first) first = &o;
    before = &o;
  }
  return title_of(outcomes.front()) + "\n" + columns(rows, 1) + legend + devices(outcomes, machine) + reasons(outcomes);
}

namespace {

// The application and the parameters in which its problems differ here.
std::string short_title(const Problem& problem, const std::vector<std::vector<Outcome>>& problems) {
  std::string title = problem.application();
  for (const Setting& s : problem.settings()) {
    const bool varies = std::any_of(problems.begin(), problems.end(), [&](const auto& other) {
      if (other.empty() || other.front().problem.application() != problem.application()) return false;
      const auto& theirs = other.front().problem.settings();
      return std::any_of(theirs.begin(), theirs.end(),
                         [&](const Setting& t) { return t.key == s.key && t.value != s.value; });
    });
    if (varies) title += fmt::format(" {}={}", s.key, to_string(s.value));
  }
  return printable(title);
}

}  // namespace

std::string summary_table(const std::vector<std::vector<Outcome>>& problems, const machine::Machine& machine) {
  std::vector<std::vector<std::string>> rows = {
      {"problem", "host", "rate", "gpu", "rate", "limit", "x exec", "x total", "verdict"}};
  for (const auto& outcomes : problems) {
    if (outcomes.empty()) continue;
    const Outcome* host = fastest(outcomes, DeviceKind::cores);
    if (!host) host = fastest(outcomes, DeviceKind::core);
    const Outcome* gpu = fastest(outcomes, DeviceKind::gpu);
    const auto count = [&](Status s) {
      return std::count_if(outcomes.begin(), outcomes.end(), [&](const Outcome& o) { return o.status == s; });
    };
    const auto bad = count(Status::failed) + count(Status::error);
    std::string name = short_title(outcomes.front().problem, problems);
    if (name.size() > 60) name = name.substr(0, 57) + "...";
    const Outcome* shown = gpu ? gpu : host;
    rows.push_back({name, host ? host->variant->name : "-", host ? rate_text(*host) : "-",
                    gpu ? gpu->variant->name : "-", gpu ? rate_text(*gpu) : "-", shown ? limit_text(*shown) : "-",
                    host && gpu ? ratio_text(core::median(host->execute) / core::median(gpu->execute)) : "-",
                    host && gpu ? ratio_text(core::median(host->end_to_end) / core::median(gpu->end_to_end)) : "-",
                    bad ? fmt::format("{} FAILED", bad) : fmt::format("{} ok", count(Status::passed))});
  }
  std::string text = columns(rows, 2);
  text += fmt::format("host: {}; gpu: {}\n", device_name(DeviceKind::cores, machine.cpu.cores, -1, machine),
                      machine.gpus.empty() ? "none (" + machine.gpu_reason + ")" : "one " + machine.gpus.front().name);
  return text;
}

}  // namespace speedwell::harness

#include "speedwell/harness/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "speedwell/core/statistics.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/io/escape.hpp"

namespace speedwell::harness {
namespace {

bool timed(const Outcome& o) { return o.status == Status::passed && !o.execute.empty(); }

double execute_seconds(const Outcome& o) { return median_seconds(o.execute); }
double total_seconds(const Outcome& o) { return core::median(o.end_to_end); }

// Half the 95 % interval, relative to the median; without one, the number of passes that were too few for it.
std::string spread_text(const Outcome& o) {
  const core::Summary s = summarize(o.execute);
  if (s.interval) return fmt::format("{:.1f} %", 50 * (s.interval->second - s.interval->first) / s.median);
  return fmt::format("n={}", pass_count(o.execute));
}

std::string limit_text(const Outcome& o) {
  if (!o.limit.limit) return "-";
  const double percent = 100 * o.limit.limit->seconds / execute_seconds(o);
  return fmt::format("{:.{}f} %", percent, percent < 9.95 ? 1 : 0);
}

std::string ratio_text(double ratio) { return std::isfinite(ratio) ? fmt::format("{:.2f}", ratio) : "-"; }

// A row of the processor that had to share it is marked; the command says what that means.
std::string verdict_text(const Outcome& o) {
  const bool shared = o.device != DeviceKind::gpu && o.host_load && machine::is_busy(*o.host_load);
  switch (o.status) {
    case Status::passed: return shared ? "ok, busy" : "ok";
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
                          o.prediction->seconds / execute_seconds(o));
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

using Seconds = double(const Outcome&);

// The outcome of this kind of device that is best in a phase; peers do not count. With an algorithm: of its variants alone.
const Outcome* fastest(const std::vector<Outcome>& outcomes, DeviceKind kind, Seconds* seconds,
                       const std::string* algorithm = nullptr) {
  const Outcome* best = nullptr;
  for (const Outcome& o : outcomes)
    if (timed(o) && o.device == kind && o.variant->role != Role::peer &&
        (!algorithm || o.variant->algorithm == *algorithm) && (!best || seconds(o) < seconds(*best)))
      best = &o;
  return best;
}

// All cores where they ran, else one.
const Outcome* fastest_on_host(const std::vector<Outcome>& outcomes, Seconds* seconds,
                               const std::string* algorithm = nullptr) {
  const Outcome* cores = fastest(outcomes, DeviceKind::cores, seconds, algorithm);
  return cores ? cores : fastest(outcomes, DeviceKind::core, seconds, algorithm);
}

// The fastest execute on the GPU, or on the host, peers included.
const Outcome* fastest_of_all(const std::vector<Outcome>& outcomes, bool gpu) {
  const Outcome* best = nullptr;
  for (const Outcome& o : outcomes)
    if (timed(o) && (o.device == DeviceKind::gpu) == gpu && (!best || execute_seconds(o) < execute_seconds(*best)))
      best = &o;
  return best;
}

// How many times as fast as `base`; "-" without one.
std::string speedup_text(const Outcome* base, const Outcome& o, Seconds* seconds) {
  return base ? ratio_text(seconds(*base) / seconds(o)) : "-";
}

}  // namespace

std::string printable(std::string_view text) {
  return io::escape(text);
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

std::string rate_text(const Outcome& o) {
  if (!timed(o)) return "-";
  const double seconds = execute_seconds(o);
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
  // Each phase is compared with the host variant that is best in it.
  const Outcome* const base = fastest_on_host(outcomes, execute_seconds);
  const Outcome* const base_total = fastest_on_host(outcomes, total_seconds);
  std::vector<std::vector<std::string>> rows = {
      {"variant", "execute", "+-95%", "rate", "limit", "end to end", "x exec", "x total", "verdict"}};
  std::size_t few = 0, throttled = 0;
  for (const Outcome& o : outcomes) {
    if (!timed(o)) {
      rows.push_back({o.variant->name, "-", "-", "-", "-", "-", "-", "-", verdict_text(o)});
      continue;
    }
    if (pass_count(o.execute) < passes_of_a_published_figure) ++few;
    throttled += throttled_count(o.execute);
    rows.push_back({o.variant->name, core::format_seconds(execute_seconds(o)), spread_text(o), rate_text(o), limit_text(o),
                    core::format_seconds(total_seconds(o)), speedup_text(base, o, execute_seconds),
                    speedup_text(base_total, o, total_seconds), verdict_text(o)});
  }
  std::string text = title_of(outcomes.front()) + "\n" + columns(rows, 1);
  if (base) {
    text += "  speedups are over " + base->variant->name;
    if (base_total != base) text += fmt::format(" (execute) and {} (end to end)", base_total->variant->name);
    text += " on " + device_name(base->device, base->threads, base->gpu, machine) + "\n";
  }
  if (few > 0) text += "  n=N instead of an interval: so few passes fitted into the time (--max-time, --passes)\n";
  if (throttled > 0)
    text += fmt::format("  {} samples were taken while the device was throttled; they are marked in the record, and left out "
                        "of medians where there are others\n", throttled);
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
    const double now = execute_seconds(o);
    rows.push_back({o.variant->name, core::format_seconds(now), rate_text(o), limit_text(o),
                    before ? ratio_text(execute_seconds(*before) / now) : "-",
                    first ? ratio_text(execute_seconds(*first) / now) : "-", verdict_text(o)});
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
      {"problem", "host", "rate", "gpu", "rate", "limit", "x exec", "x total", "x best", "verdict"}};
  std::string better;  // where another pair than the one shown is best against best
  for (const auto& outcomes : problems) {
    if (outcomes.empty()) continue;
    const Outcome* const gpu = fastest(outcomes, DeviceKind::gpu, execute_seconds);
    const Outcome* const gpu_total = fastest(outcomes, DeviceKind::gpu, total_seconds);
    const Outcome* const host =
        fastest_on_host(outcomes, execute_seconds, gpu ? &gpu->variant->algorithm : nullptr);
    const Outcome* const host_total =
        gpu ? fastest_on_host(outcomes, total_seconds, &gpu_total->variant->algorithm) : nullptr;
    const Outcome* const best_host = fastest_of_all(outcomes, false);
    const Outcome* const best_gpu = fastest_of_all(outcomes, true);
    const auto count = [&](Status s) {
      return std::count_if(outcomes.begin(), outcomes.end(), [&](const Outcome& o) { return o.status == s; });
    };
    const auto bad = count(Status::failed) + count(Status::error);
    std::string name = short_title(outcomes.front().problem, problems);
    if (name.size() > 60) name = fmt::format("{:.57}...", name);
    const Outcome* shown = gpu ? gpu : host;
    if (best_gpu && best_host && (best_gpu != gpu || best_host != host))
      better += fmt::format("best of {}: {} against {}\n", name, best_gpu->variant->name, best_host->variant->name);
    rows.push_back({name, host ? host->variant->name : "-", host ? rate_text(*host) : "-",
                    gpu ? gpu->variant->name : "-", gpu ? rate_text(*gpu) : "-", shown ? limit_text(*shown) : "-",
                    gpu ? speedup_text(host, *gpu, execute_seconds) : "-",
                    gpu ? speedup_text(host_total, *gpu_total, total_seconds) : "-",
                    best_gpu ? speedup_text(best_host, *best_gpu, execute_seconds) : "-",
                    bad ? fmt::format("{} FAILED", bad) : fmt::format("{} ok", count(Status::passed))});
  }
  std::string text = columns(rows, 2) + better;
  int threads = machine.cpu.cores;
  for (const auto& outcomes : problems)
    if (const Outcome* host = fastest(outcomes, DeviceKind::cores, execute_seconds)) threads = host->threads;
  text += fmt::format("host: {}; gpu: {}\n", device_name(DeviceKind::cores, threads, -1, machine),
                      machine.gpus.empty() ? "none (" + machine.gpu_reason + ")" : "one " + machine.gpus.front().name);
  return text;
}

}  // namespace speedwell::harness

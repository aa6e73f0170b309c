#include "speedwell/harness/tables/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "speedwell/core/statistics.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/tables/outcome_times.hpp"
#include "speedwell/io/escape.hpp"

namespace speedwell::harness {
namespace {

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
    case Status::passed:
      return shared ? "ok, busy" : "ok";
    case Status::failed:
      return "FAILED";
    case Status::skipped:
      return "skipped";
    case Status::error:
      return "ERROR";
  }
  return "";
}

std::string title_of(const Outcome& o) { return wrapped(printable(key_of(o.problem)), 4); }

// Names by what is said of them, in the order in which that comes up first.
class ByText {
 public:
  void add(const std::string& text, const std::string& name) {
    auto found = std::find_if(groups_.begin(), groups_.end(), [&](const auto& g) { return g.first == text; });
    if (found == groups_.end()) found = groups_.insert(found, {text, ""});
    found->second += (found->second.empty() ? "" : ", ") + name;
  }
  std::string lines() const {
    std::string text;
    for (const auto& [what, names] : groups_) text += wrapped("  " + names + ": " + what, 4);
    return text;
  }

 private:
  std::vector<std::pair<std::string, std::string>> groups_;
};

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
  ByText names;
  for (const Outcome& o : outcomes)
    if (timed(o)) names.add(device_name(o, machine), o.variant->name);
  return names.lines();
}

// Why energy that was asked for is not there.
std::string energy_reasons(const std::vector<Outcome>& outcomes) {
  ByText names;
  for (const Outcome& o : outcomes)
    if (timed(o) && !o.energy_J && !o.energy_reason.empty() && o.energy_reason != energy_not_asked)
      names.add("no energy: " + printable(o.energy_reason), o.variant->name);
  return names.lines();
}

// The outcome of this kind of device that is best in a phase; peers do not count. With an algorithm: of its variants
// alone.
const Outcome* fastest(const std::vector<Outcome>& outcomes, DeviceKind kind, Seconds* seconds,
                       const std::string* algorithm = nullptr) {
  return fastest_of(outcomes, seconds, [&](const Outcome& o) {
    return o.device == kind && o.variant->role != Role::peer && (!algorithm || o.variant->algorithm == *algorithm);
  });
}

// All cores where they ran, else one.
const Outcome* fastest_on_host(const std::vector<Outcome>& outcomes, Seconds* seconds,
                               const std::string* algorithm = nullptr) {
  const Outcome* cores = fastest(outcomes, DeviceKind::cores, seconds, algorithm);
  return cores ? cores : fastest(outcomes, DeviceKind::core, seconds, algorithm);
}

// What the speed-ups of a problem's variants are over: the host where a GPU ran, else one core. The report does the
// same.
const Outcome* base_of(const std::vector<Outcome>& outcomes, Seconds* seconds) {
  const Outcome* const core = fastest(outcomes, DeviceKind::core, seconds, nullptr);
  if (!core || fastest(outcomes, DeviceKind::gpu, seconds, nullptr)) return fastest_on_host(outcomes, seconds);
  return core;
}

// The fastest execute on the GPU, or on the host, peers included.
const Outcome* fastest_of_all(const std::vector<Outcome>& outcomes, bool gpu) {
  return fastest_of(outcomes, execute_seconds, [&](const Outcome& o) { return (o.device == DeviceKind::gpu) == gpu; });
}

// How many times as fast as `base`; "-" without one.
std::string speedup_text(const Outcome* base, const Outcome& o, Seconds* seconds) {
  return base ? ratio_text(seconds(*base) / seconds(o)) : "-";
}

}  // namespace

std::string printable(std::string_view text) { return io::escape(text); }

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

namespace {

struct Rate {
  double value;
  std::string unit;
};

std::optional<Rate> rate_of(const Outcome& o) {
  if (!timed(o)) return std::nullopt;
  const double seconds = execute_seconds(o), bytes = o.work.bytes_read + o.work.bytes_written;
  if (!(seconds > 0)) return std::nullopt;
  if (!o.application->rate_name.empty() && o.work.updates > 0)
    return Rate{o.work.updates / seconds / o.application->rate_scale, o.application->rate_name};
  if (bytes > 0) return Rate{bytes / seconds / 1e9, "GB/s"};
  if (o.work.operations > 0) return Rate{o.work.operations / seconds / 1e9, "Gop/s"};
  return std::nullopt;
}

// The unit that all of them have; empty where they differ.
std::string common_unit(const std::vector<Outcome>& outcomes) {
  std::string unit;
  for (const Outcome& o : outcomes) {
    const auto rate = rate_of(o);
    if (!rate) continue;
    if (!unit.empty() && unit != rate->unit) return {};
    unit = rate->unit;
  }
  return unit;
}

std::string median_text(const std::vector<double>& seconds) {
  return seconds.empty() ? "-" : core::format_seconds(core::median(seconds));
}

}  // namespace

std::string rate_text(const Outcome& o) {
  const auto rate = rate_of(o);
  return rate ? core::format_number(rate->value) + " " + rate->unit : "-";
}

std::string reasons(const std::vector<Outcome>& outcomes) {
  ByText names;
  for (const Outcome& o : outcomes)
    if (!o.reason.empty()) names.add(printable(o.reason), o.variant->name);
  return names.lines();
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string result, line;
  while (!text.empty()) {
    const auto space = text.find(' ', text.find_first_not_of(' '));
    const std::string_view word = text.substr(0, space);
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      result += line + "\n";
      line = std::string(indent, ' ') + std::string(word);
    } else {
      line += (line.empty() ? "" : " ") + std::string(word);
    }
    text = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
  }
  return result + line + "\n";
}

std::string comparison_table(const std::vector<Outcome>& outcomes, const machine::Machine& machine) {
  if (outcomes.empty()) return {};
  // Each phase is compared with the host variant that is best in it.
  const Outcome* const base = base_of(outcomes, execute_seconds);
  const Outcome* const base_total = base_of(outcomes, total_seconds);
  const auto any = [&](auto has) { return std::any_of(outcomes.begin(), outcomes.end(), has); };
  const bool plan = any([](const Outcome& o) { return timed(o) && !o.plan.empty(); });
  const bool energy = any([](const Outcome& o) { return timed(o) && o.energy_J; });
  const std::string unit = common_unit(outcomes);
  std::vector<std::vector<std::string>> rows;
  const auto row = [&](const std::string& plan_cell, const std::string& energy_cell, std::vector<std::string> cells) {
    if (energy) cells.insert(cells.end() - 3, energy_cell);
    if (plan) cells.insert(cells.begin() + 1, plan_cell);
    rows.push_back(std::move(cells));
  };
  row("plan", "energy",
      {"variant", "execute", "+-95%", unit.empty() ? "rate" : unit, "limit", "total", "x exec", "x total", "verdict"});
  std::size_t few = 0, throttled = 0;
  for (const Outcome& o : outcomes) {
    if (o.status == Status::skipped) continue;  // told below
    if (!timed(o)) {
      row("-", "-", {o.variant->name, "-", "-", "-", "-", "-", "-", "-", verdict_text(o)});
      continue;
    }
    if (!summarize(o.execute).interval) ++few;
    throttled += throttled_count(o.execute);
    const auto rate = rate_of(o);
    row(median_text(o.plan), o.energy_J ? core::format_number(*o.energy_J) + " J" : "-",
        {o.variant->name, core::format_seconds(execute_seconds(o)), spread_text(o),
         !rate          ? "-"
         : unit.empty() ? rate_text(o)
                        : core::format_number(rate->value),
         limit_text(o), core::format_seconds(total_seconds(o)), speedup_text(base, o, execute_seconds),
         speedup_text(base_total, o, total_seconds), verdict_text(o)});
  }
  std::string text = title_of(outcomes.front()) + (rows.size() > 1 ? columns(rows, 1) : "");
  if (base) {
    std::string sentence = fmt::format("  total: end to end{}; speed-ups (x) are over {}",
                                       plan ? ", without planning" : "", base->variant->name);
    if (base_total != base) sentence += fmt::format(" (execute) and {} (total)", base_total->variant->name);
    text += wrapped(sentence, 4);
  }
  if (few > 0) text += "  n=N: so few passes (--max-time, --passes, --repeat) give no interval\n";
  if (throttled > 0)
    text +=
        wrapped(fmt::format("  {} taken while the device was throttled: marked in the record, and left out of medians "
                            "where there are others",
                            core::counted(throttled, "sample")),
                4);
  return text + devices(outcomes, machine) + energy_reasons(outcomes) + predictions(outcomes) + reasons(outcomes);
}

std::string ladder_table(const std::vector<Outcome>& outcomes, const machine::Machine& machine) {
  if (outcomes.empty()) return {};
  std::vector<std::vector<std::string>> rows = {{"step", "execute", "rate", "limit", "gain", "since first", "verdict"}};
  const Outcome *first = nullptr, *before = nullptr;
  std::string legend;
  for (const Outcome& o : outcomes) {
    if (o.variant->role != Role::step && o.variant->role != Role::best) continue;
    if (o.status == Status::skipped) continue;  // told below
    legend += wrapped(fmt::format("  {}: {}{}", o.variant->name, o.variant->description,
                                  o.variant->lineage.empty() ? "" : fmt::format(" [{}]", o.variant->lineage)),
                      4);
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
  return title_of(outcomes.front()) + columns(rows, 1) + legend + devices(outcomes, machine) + reasons(outcomes);
}

std::string short_name(const Problem& problem, const std::vector<Problem>& all) {
  std::string name = problem.application();
  for (std::size_t i = 0; i < problem.settings().size(); ++i) {
    const Setting& mine = problem.settings()[i];
    const bool varies = std::any_of(all.begin(), all.end(), [&](const Problem& other) {
      return other.application() == problem.application() && other.settings()[i].value != mine.value;
    });
    if (varies) name += fmt::format(" {}={}", mine.key, to_string(mine.value));
  }
  return printable(name);
}

namespace {

std::vector<Problem> problems_of(const std::vector<std::vector<Outcome>>& outcomes) {
  std::vector<Problem> all;
  for (const auto& of_problem : outcomes)
    if (!of_problem.empty()) all.push_back(of_problem.front().problem);
  return all;
}

std::string verdicts_text(const std::vector<Outcome>& outcomes) {
  const auto count = [&](Status s) {
    return std::count_if(outcomes.begin(), outcomes.end(), [&](const Outcome& o) { return o.status == s; });
  };
  const auto bad = count(Status::failed) + count(Status::error);
  return bad ? fmt::format("{} FAILED", bad) : fmt::format("{} ok", count(Status::passed));
}

std::string time_text(const Outcome* o) { return o ? core::format_seconds(execute_seconds(*o)) : "-"; }

// Where no GPU has run: one core against all of them.
std::string host_table(const std::vector<std::vector<Outcome>>& problems) {
  const std::vector<Problem> all = problems_of(problems);
  std::vector<std::vector<std::string>> rows = {
      {"problem", "one core", "all cores", "x exec", "rate", "of limit", "verdict"}};
  for (const auto& outcomes : problems) {
    if (outcomes.empty()) continue;
    const Outcome* const core = fastest(outcomes, DeviceKind::core, execute_seconds);
    const Outcome* const cores = fastest(outcomes, DeviceKind::cores, execute_seconds);
    const Outcome* const shown = cores ? cores : core;
    rows.push_back({short_name(outcomes.front().problem, all), time_text(core), time_text(cores),
                    core && cores ? speedup_text(core, *cores, execute_seconds) : "-", shown ? rate_text(*shown) : "-",
                    shown ? limit_text(*shown) : "-", verdicts_text(outcomes)});
  }
  return columns(rows, 1);
}

}  // namespace

std::string summary_table(const std::vector<std::vector<Outcome>>& problems, const machine::Machine& machine) {
  const std::vector<Problem> all = problems_of(problems);
  const bool on_gpu = std::any_of(problems.begin(), problems.end(),
                                  [](const auto& outcomes) { return fastest_of_all(outcomes, true) != nullptr; });
  std::vector<std::vector<std::string>> rows = {
      {"problem", "host", "host rate", "gpu", "gpu rate", "of limit", "x exec", "x total", "x best", "verdict"}};
  std::string better;  // where another pair than the one shown is best against best
  for (const auto& outcomes : problems) {
    if (outcomes.empty()) continue;
    const Outcome* const gpu = fastest(outcomes, DeviceKind::gpu, execute_seconds);
    const Outcome* const gpu_total = fastest(outcomes, DeviceKind::gpu, total_seconds);
    const Outcome* const host = fastest_on_host(outcomes, execute_seconds, gpu ? &gpu->variant->algorithm : nullptr);
    const Outcome* const host_total =
        gpu ? fastest_on_host(outcomes, total_seconds, &gpu_total->variant->algorithm) : nullptr;
    const Outcome* const best_host = fastest_of_all(outcomes, false);
    const Outcome* const best_gpu = fastest_of_all(outcomes, true);
    std::string name = short_name(outcomes.front().problem, all);
    if (name.size() > 60) name = fmt::format("{:.57}...", name);
    const Outcome* shown = gpu ? gpu : host;
    if (best_gpu && best_host && (best_gpu != gpu || best_host != host))
      better += fmt::format("best of {}: {} against {}\n", name, best_gpu->variant->name, best_host->variant->name);
    rows.push_back({name, host ? host->variant->name : "-", host ? rate_text(*host) : "-",
                    gpu ? gpu->variant->name : "-", gpu ? rate_text(*gpu) : "-",
                    !shown ? "-" : limit_text(*shown) + (gpu ? "" : " host"),
                    gpu ? speedup_text(host, *gpu, execute_seconds) : "-",
                    gpu ? speedup_text(host_total, *gpu_total, total_seconds) : "-",
                    best_gpu ? speedup_text(best_host, *best_gpu, execute_seconds) : "-", verdicts_text(outcomes)});
  }
  std::string text = on_gpu ? columns(rows, 2) + better : host_table(problems);
  int threads = machine.cpu.cores;
  std::string gpu = machine.gpus.empty() ? "none (" + machine.gpu_reason + ")" : "one " + machine.gpus.front().name;
  for (const auto& outcomes : problems) {
    if (const Outcome* host = fastest(outcomes, DeviceKind::cores, execute_seconds)) threads = host->threads;
    if (const Outcome* best = fastest_of_all(outcomes, true)) gpu = device_name(*best, machine);
  }
  text += fmt::format("host: {}; gpu: {}\n", device_name(DeviceKind::cores, threads, -1, machine), gpu);
  return text;
}

}  // namespace speedwell::harness

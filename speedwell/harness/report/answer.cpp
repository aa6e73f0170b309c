#include "speedwell/harness/report/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>

#include "speedwell/core/statistics.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/records/build_info.hpp"
#include "speedwell/harness/records/record.hpp"
#include "speedwell/harness/tables/outcome_times.hpp"
#include "speedwell/harness/tables/table.hpp"

namespace speedwell::harness::report {
namespace {

constexpr std::size_t width = 100;

/// The fastest own row on a kind of device; null where none was timed.
const Outcome* fastest(const std::vector<Outcome>& outcomes, DeviceKind kind, Seconds* seconds) {
  return fastest_of(outcomes, seconds,
                    [&](const Outcome& o) { return o.device == kind && o.variant->role != Role::peer; });
}

/// What the answer holds on one application.
struct Line {
  const HeadlineRow* row;
  const Outcome *core, *cores, *gpu, *host_total, *gpu_total;
  const RecordedRun* recorded = nullptr;

  /// The faster of all cores and one: on a busy machine threads that wait for each other may take longer than one
  /// alone, and no GPU is that much faster.
  const Outcome* host() const {
    if (!cores || !core) return cores ? cores : core;
    return execute_seconds(*core) < execute_seconds(*cores) ? core : cores;
  }
  /// Whether the energies of both sides were measured.
  bool has_energies() const { return gpu && gpu->energy_J && host() && host()->energy_J; }
  /// Whether the record is of other sources of the application than this program's.
  bool is_older() const {
    return recorded && source_digest(row->outcomes.front().application->name, false) != recorded->source_digest;
  }
  bool slower_on_all_cores() const { return cores && core && execute_seconds(*core) < 0.8 * execute_seconds(*cores); }
};

Line line_of(const HeadlineRow& row, const Recorded& known) {
  const auto& all = row.outcomes;
  Line line{&row,
            fastest(all, DeviceKind::core, execute_seconds),
            fastest(all, DeviceKind::cores, execute_seconds),
            fastest(all, DeviceKind::gpu, execute_seconds),
            fastest(all, DeviceKind::cores, total_seconds),
            fastest(all, DeviceKind::gpu, total_seconds)};
  const Outcome* const one = fastest(all, DeviceKind::core, total_seconds);
  if (one && (!line.host_total || total_seconds(*one) < total_seconds(*line.host_total))) line.host_total = one;
  const std::string key = all.empty() ? "" : key_of(all.front().problem);
  for (const RecordedRun& run : known.runs)
    if (current_key(run.key) == key) line.recorded = &run;
  return line;
}

bool busy(const Outcome* o) {
  return o && o->device != DeviceKind::gpu && o->host_load && machine::is_busy(*o->host_load);
}
/// A host variant whose load by others is not known: it ran shorter than the kernel's counters resolve.
bool unwatched(const Outcome* o) {
  return o && o->device != DeviceKind::gpu && (!o->host_load || o->host_load->window_s < machine::min_window_s);
}
bool of_few_passes(const Outcome* o) { return o && pass_count(o->execute) < passes_of_a_published_figure; }
std::string time_text(const Outcome* o) {
  if (!o) return "-";
  return core::format_seconds(execute_seconds(*o)) + (of_few_passes(o) ? "*" : "") + (busy(o) ? "!" : "");
}
std::string number(double value) {
  return value >= 99.5   ? fmt::format("{:.0f}", value)
         : value >= 9.95 ? fmt::format("{:.1f}", value)
                         : fmt::format("{:.2f}", value);
}
std::string ratio_text(const Outcome* base, const Outcome* now, Seconds* seconds) {
  return base && now ? number(seconds(*base) / seconds(*now)) : "-";
}
double share_of_limit(const Outcome& o) { return o.limit.limit ? o.limit.limit->seconds / execute_seconds(o) : 0; }
std::string percent(double share) { return fmt::format("{:.{}f} %", 100 * share, share < 0.0995 ? 1 : 0); }
std::string limit_text(const Outcome* o) {
  if (!o || !o->limit.limit) return "-";
  const std::string& bound = o->limit.limit->bound;
  return percent(share_of_limit(*o)) + " " + (bound == "memory" ? "mem" : bound == "arithmetic" ? "arith" : bound);
}

std::string wrapped(const std::string& text, std::size_t indent) { return harness::wrapped(text, indent, width); }

/// The number of executes of one upload that it takes until the GPU, end to end, is faster than the host; nothing if it
/// never is.
std::optional<double> executes_until_it_pays(const Line& line) {
  const double gain = execute_seconds(*line.host()) - execute_seconds(*line.gpu);
  if (!(gain > 0)) return std::nullopt;
  const double extra = (total_seconds(*line.gpu_total) - execute_seconds(*line.gpu)) -
                       (total_seconds(*line.host_total) - execute_seconds(*line.host()));
  return std::max(1.0, std::ceil(extra / gain));
}

/// From this share of a limit on, the limit is said to bound a run. Below it, what bounds the run is not measured here.
constexpr double close_to_limit = 0.5;

/// Why the ratio is what it is, from both sides' limits.
std::string why_of_pair(const Line& line) {
  const Outcome &host = *line.host(), &gpu = *line.gpu;
  constexpr double short_execute = 50e-6;  // about four launches that are waited for
  if (!gpu.limit.limit) return "the GPU has no limit to hold it against: " + gpu.limit.reason;
  const double on_gpu = share_of_limit(gpu);
  if (on_gpu < 0.1 && execute_seconds(gpu) < short_execute)
    return fmt::format("too small for a GPU: its {} are launches and latencies, {} of its limit",
                       core::format_seconds(execute_seconds(gpu)), percent(on_gpu));
  if (!host.limit.limit)
    return fmt::format("the GPU reaches {} of its limit ({}); the host has none: {}", percent(on_gpu),
                       gpu.limit.limit->bound, host.limit.reason);
  const double on_host = share_of_limit(host), of_limits = host.limit.limit->seconds / gpu.limit.limit->seconds;
  const std::string &here = host.limit.limit->bound, &there = gpu.limit.limit->bound;
  if (on_host < close_to_limit || on_gpu < close_to_limit)
    return fmt::format(
        "the host is at {} of its {} limit and the GPU at {} of its {} limit; the limits alone would give {}",
        percent(on_host), here, percent(on_gpu), there, number(of_limits));
  const std::string both = here == there ? here + "-bound on both sides"
                                         : fmt::format("{}-bound on the host, {}-bound on the GPU", here, there);
  return fmt::format("{}, at {} and {} of the limits: the ratio is about that of the {}, {}", both, percent(on_host),
                     percent(on_gpu), here == there && here == "memory" ? "bandwidths" : "limits", number(of_limits));
}

/// "no limit: REASON". Ceilings that were not stable are told in one sentence, whichever they were.
std::string no_limit(const Outcome& o) {
  const std::string& reason = o.limit.reason;
  if (reason.starts_with("the ceiling ") && reason.find(" was not stable") != std::string::npos)
    return "no limit, as the bandwidths and rates that this machine reached were not stable: measure again when it is "
           "idle";
  return "no limit: " + reason;
}

std::string why(const Line& line) {
  const Outcome* host = line.host();
  if (line.gpu && host) {
    std::string text = why_of_pair(line);
    if (line.gpu_total && line.host_total && total_seconds(*line.gpu_total) > total_seconds(*line.host_total)) {
      const auto executes = executes_until_it_pays(line);
      text += executes
                  ? fmt::format("; with allocation and transfers it pays from {:.0f} executes per upload on", *executes)
                  : "; with allocation and transfers it does not pay";
    }
    return text;
  }
  const Outcome* own = line.gpu ? line.gpu : host;
  if (!own) return {};
  if (!own->limit.limit) return no_limit(*own);
  const std::string& limit = own->limit.limit->bound;
  const bool close = share_of_limit(*own) >= close_to_limit;
  const std::string bound = close ? limit + "-bound; " : std::string();
  const std::string share = percent(share_of_limit(*own)) + (close ? " of the limit" : " of its " + limit + " limit");
  if (!line.core || !line.cores) return bound + fmt::format("{} is at {}", own->variant->name, share);
  const std::string all =
      fmt::format("{} on {}", line.cores->variant->name, core::counted(line.cores->threads, "thread"));
  const std::string ratio = number(execute_seconds(*line.core) / execute_seconds(*line.cores)) + " times as fast";
  if (own == line.core) return bound + fmt::format("{} is at {}; {} is {}", own->variant->name, share, all, ratio);
  return bound + fmt::format("{} is at {} and {} as {}", all, share, ratio, line.core->variant->name);
}

/// A sentence for each application; one that holds for several stands once.
std::string reasons(const std::vector<Line>& lines) {
  std::vector<std::pair<std::string, std::string>> stated;  // a sentence and its applications
  for (const Line& line : lines) {
    const std::string sentence = why(line), name = line.row->outcomes.front().application->name;
    if (sentence.empty()) continue;
    const auto same = std::find_if(stated.begin(), stated.end(), [&](const auto& s) { return s.first == sentence; });
    if (same == stated.end())
      stated.emplace_back(sentence, name);
    else
      same->second += ", " + name;
  }
  std::string text;
  for (const auto& [sentence, names] : stated) text += wrapped(names + ": " + sentence, 2);
  return text;
}

std::string capital(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

/// "between 2.1 and 93 times as fast (median 17)".
std::string range_text(std::vector<double> ratios) {
  std::sort(ratios.begin(), ratios.end());
  if (ratios.size() == 1) return number(ratios.front()) + " times as fast";
  return fmt::format("between {} and {} times as fast (median {})", number(ratios.front()), number(ratios.back()),
                     number(core::median(ratios)));
}

std::string closing(const std::vector<Line>& lines, const machine::Machine& machine, const Recorded& known) {
  std::vector<double> execute, total, of_cores, of_recorded;
  const Outcome *gpu = nullptr, *cores = nullptr;
  for (const Line& line : lines) {
    if (line.cores) cores = line.cores;
    if (line.gpu) gpu = line.gpu;
    if (line.gpu && line.host()) {
      execute.push_back(execute_seconds(*line.host()) / execute_seconds(*line.gpu));
      total.push_back(total_seconds(*line.host_total) / total_seconds(*line.gpu_total));
    }
    if (line.core && line.cores) of_cores.push_back(execute_seconds(*line.core) / execute_seconds(*line.cores));
    if (line.recorded && line.host())
      of_recorded.push_back(execute_seconds(*line.host()) / line.recorded->execute_seconds);
  }
  const auto name = [&](const Outcome& o) { return device_name(o, machine); };
  if (!execute.empty()) {
    const auto faster = std::count_if(total.begin(), total.end(), [](double r) { return r > 1; });
    return fmt::format(
        "{} executes these problems {} as {}. Once, with allocation and transfers, it is faster in {} of {}.",
        capital(name(*gpu)), range_text(execute), cores ? name(*cores) : "the host", faster, total.size());
  }
  std::string text;
  if (cores && !of_cores.empty())
    text = fmt::format("{} execute these problems {} as the serial code on one.", name(*cores), range_text(of_cores));
  if (!of_recorded.empty())
    text +=
        fmt::format(" In the records of {} that came with these sources, {} executed {} of them {} as the host here.",
                    known.day, known.gpu, of_recorded.size(), range_text(of_recorded));
  return text;
}

/// The variants that did not run, each reason once.
std::string left_out(const std::vector<Line>& lines) {
  std::map<std::string, std::vector<std::string>> by_reason;
  std::string failures;
  for (const Line& line : lines)
    for (const Outcome& o : line.row->outcomes) {
      const std::string name = o.application->name + " " + o.variant->name;
      if (o.status == Status::skipped) by_reason[printable(o.reason)].push_back(name);
      if (o.status == Status::failed || o.status == Status::error)
        failures += wrapped(fmt::format("{}: {}: {}", name, to_string(o.status), printable(o.reason)), 2);
    }
  std::string text;
  for (const auto& [reason, names] : by_reason)
    text += wrapped(names.size() > 3 ? fmt::format("left out: {} rows: {}", names.size(), reason)
                                     : fmt::format("left out: {}: {}", fmt::join(names, ", "), reason),
                    2);
  return failures + text;
}

/// What the table shows besides the application, its problem and the times on the host.
struct Shown {
  bool gpu;         // its times; otherwise what all cores are over one
  bool limits;      // shares of the limits
  bool energy;      // of the host over that of the GPU
  bool remembered;  // what the GPU of recorded() took
};

Shown shown_of(const std::vector<Line>& lines) {
  const auto any = [&](const auto& has) { return std::any_of(lines.begin(), lines.end(), has); };
  const bool gpu = any([](const Line& l) { return l.gpu != nullptr; });
  return {.gpu = gpu,
          .limits = any([&](const Line& l) { return limit_text(gpu ? l.gpu : l.host()) != "-"; }),
          .energy = gpu && any([](const Line& l) { return l.has_energies(); }),
          .remembered = !gpu && any([](const Line& l) { return l.recorded && l.host(); })};
}

std::vector<std::string> head_of(const Shown& shown) {
  std::vector<std::string> head = {"application", "problem", "one core", "all cores"};
  if (shown.gpu)
    head.insert(head.end(), {"GPU", "x", "x total"});
  else
    head.emplace_back("cores x");
  if (shown.limits) head.emplace_back("of limit");
  if (shown.energy) head.emplace_back("x J");
  if (shown.remembered) head.insert(head.end(), {"an H200", "H200 x"});
  return head;
}

std::vector<std::string> cells_of(const Line& l, const Shown& shown) {
  std::vector<std::string> cells = {l.row->outcomes.front().application->name, printable(l.row->problem),
                                    time_text(l.core), time_text(l.cores)};
  if (shown.gpu) {
    cells.insert(cells.end(), {time_text(l.gpu), ratio_text(l.host(), l.gpu, execute_seconds),
                               ratio_text(l.host_total, l.gpu_total, total_seconds)});
  } else {
    cells.push_back(ratio_text(l.core, l.cores, execute_seconds));
  }
  if (shown.limits) cells.push_back(limit_text(shown.gpu ? l.gpu : l.host()));
  if (shown.energy) cells.push_back(l.has_energies() ? number(*l.host()->energy_J / *l.gpu->energy_J) : "-");
  if (shown.remembered)
    cells.insert(cells.end(),
                 {l.recorded ? core::format_seconds(l.recorded->execute_seconds) + (l.is_older() ? "+" : "") : "-",
                  l.recorded && l.host() ? number(execute_seconds(*l.host()) / l.recorded->execute_seconds) : "-"});
  return cells;
}

/// What the marks and the headings of the table mean.
std::string legend(const std::vector<Line>& lines, const Shown& shown) {
  const auto any = [&](const auto& has) { return std::any_of(lines.begin(), lines.end(), has); };
  std::string text;
  if (any([](const Line& l) { return of_few_passes(l.core) || of_few_passes(l.cores) || of_few_passes(l.gpu); }))
    text += fmt::format("*: of fewer than {} passes, as many as the budget allowed (--budget)\n",
                        passes_of_a_published_figure);
  if (any([](const Line& l) { return busy(l.core) || busy(l.cores); })) {
    text += "!: other processes used a tenth of the processors or more meanwhile: such a time is too long\n";
    const auto brief = std::count_if(lines.begin(), lines.end(),
                                     [](const Line& l) { return unwatched(l.core) || unwatched(l.cores); });
    if (brief > 0)
      text +=
          wrapped(fmt::format("In {} of {} a time of the host was too brief to be watched for that: it may be too long "
                              "as well.",
                              brief, core::counted(lines.size(), "row")),
                  0);
  }
  text += shown.gpu
              ? "x: how many times as fast as the host, executing; x total: with allocation and transfers\n"
              : "one core: the serial code; cores x: how many times as fast all cores are, with threads and vectors\n";
  if (shown.remembered && any([](const Line& l) { return l.is_older(); }))
    text += "+: measured with older sources of this application\n";
  if (shown.remembered)
    text += "an H200: from the records that came with these sources; H200 x: over the host here, one core or all\n";
  if (shown.limits)
    text += fmt::format("of limit: the shortest time that measured rates allow, over the time of {}\n",
                        shown.gpu ? "the GPU" : "the faster of the two");
  return text;
}

}  // namespace

std::string current_key(std::string_view recorded) {
  if (!recorded.starts_with("stencil ") || recorded.find(" preconditioner=") == std::string_view::npos)
    return std::string(recorded);
  std::string key;
  while (!recorded.empty()) {
    const std::string_view word = recorded.substr(0, recorded.find(' '));
    recorded.remove_prefix(std::min(recorded.size(), word.size() + 1));
    const std::string_view name = word.substr(0, word.find('='));
    if (name == "tolerance" || name == "preconditioner" || name == "omega" || name == "matrix") continue;
    key += (key.empty() ? "" : " ") + std::string(word == "boundary=default" ? "boundary=periodic" : word);
  }
  return key;
}

std::string answer(const std::vector<HeadlineRow>& rows, const machine::Machine& machine, const Recorded& known) {
  std::vector<Line> lines;
  for (const HeadlineRow& row : rows)
    if (!row.outcomes.empty()) lines.push_back(line_of(row, known));
  const Shown shown = shown_of(lines);
  std::vector<std::vector<std::string>> cells = {head_of(shown)};
  for (const Line& line : lines) cells.push_back(cells_of(line, shown));
  std::string text = columns(cells, 2) + "\n" + legend(lines, shown) + "\n" + reasons(lines);
  const auto slower = std::count_if(lines.begin(), lines.end(), [](const Line& l) { return l.slower_on_all_cores(); });
  if (slower > 0)
    text += wrapped(
        fmt::format("All cores take a quarter longer than one, or more, in {} of {}: other processes may be using this "
                    "machine, and then its figures say little; measure again when it is idle.",
                    slower, core::counted(lines.size(), "row")),
        0);
  text += "\n" + left_out(lines);
  if (const std::string last = closing(lines, machine, known); !last.empty()) text += wrapped(last, 0);
  return text;
}

}  // namespace speedwell::harness::report

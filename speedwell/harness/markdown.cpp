#include "speedwell/harness/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "speedwell/harness/build_info.hpp"
#include "speedwell/harness/report/analysis.hpp"
#include "speedwell/harness/report/html.hpp"
#include "speedwell/harness/samples.hpp"

namespace speedwell::harness {
namespace {

using records::Run;

// Text for a cell or a line: no character keeps a meaning in Markdown or HTML.
std::string plain(std::string_view text, std::size_t limit = 160) {
  std::string out;
  for (const char c : report::clip(text, limit)) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (std::string_view("\\`*_[]|~#").find(c) != std::string_view::npos)
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string outcome(const Run& run) {
  switch (run.status) {
    case records::Status::passed:
      return "ok";
    case records::Status::failed:
      return "**FAILED**";
    case records::Status::error:
      return "**error**: " + plain(run.reason);
    case records::Status::skipped:
      return "skipped: " + plain(run.reason);
  }
  return {};
}

std::string rate_text(const Run& run) {
  const std::vector<const Run*> alone{&run};
  const report::Merit which = report::merit_of(alone);
  const auto rate = report::merit(run, which);
  if (!rate || which == report::Merit::time) return "–";
  return report::figure(rate->value) + " " + plain(report::merit_unit(alone, which));
}

std::string ratio_text(const std::optional<report::Ratio>& ratio) { return ratio ? report::times(ratio->value) : "–"; }

// Against the host variant that is best in this phase.
std::string ratio_text(const std::vector<const Run*>& problem, const Run& run, report::PhaseOf phase) {
  const Run* base = report::fastest_on_host(problem, phase);
  return base ? ratio_text(report::speedup(base->phases.*phase, run.phases.*phase)) : "–";
}

constexpr const char* stale_mark = " †";

// Measured with other sources than those of this build.
bool is_stale(const Run& run) {
  const std::string now = source_digest(run.application);
  return run.timed() && !now.empty() && run.source_digest != now;
}

// What a reader has to know of a figure: too few passes, or older sources.
std::string mark(const Run& run) {
  const std::size_t passes = run.phases.execute ? run.phases.execute->passes : 0;
  return (passes < passes_of_a_published_figure ? fmt::format(" (n={})", passes) : "") + (is_stale(run) ? stale_mark : "");
}

std::string row_of(const std::string& problem, const Run& run, const std::vector<const Run*>& runs) {
  const auto row = [&](const auto&... cells) {
    std::string text = "| " + plain(problem) + " | " + plain(run.variant.name) + " | " + plain(run.device.name) + " |";
    ((text += " " + std::string(cells) + " |"), ...);
    return text + "\n";
  };
  if (!run.timed()) return row("–", "–", "–", "–", "–", "–", outcome(run));
  const records::Phase& time = *run.phases.execute;
  const auto interval = time.interval ? fmt::format("{} – {}", report::seconds(time.interval->first, 4),
                                                    report::seconds(time.interval->second, 4))
                                      : fmt::format("n={}", time.passes);
  const auto limit = run.limit && run.limit->fraction
                         ? report::percent(*run.limit->fraction) + " (" + plain(run.limit->bound) + ")"
                         : std::string("–");
  return row(report::seconds(time.median, 4) + (is_stale(run) ? stale_mark : ""), interval, rate_text(run), limit,
             ratio_text(runs, run, &records::Phases::execute), ratio_text(runs, run, &records::Phases::end_to_end),
             outcome(run));
}

// "VARIANT" or "VARIANT/BASE": a median, or how many times as fast.
std::string cell_of(const report::ProblemRuns& problem, const std::string& column,
                    std::optional<records::Phase> records::Phases::*phase) {
  const auto run_of = [&](const std::string& variant) -> const Run* {
    for (const Run* run : problem.runs)
      if (run->variant.name == variant && run->timed() && run->phases.*phase) return run;
    return nullptr;
  };
  const std::size_t slash = column.find('/');
  const Run* const run = run_of(column.substr(0, slash));
  if (!run) return "–";
  if (slash == std::string::npos) return report::seconds((run->phases.*phase)->median) + mark(*run);
  const Run* const base = run_of(column.substr(slash + 1));
  if (!base) return "–";
  return ratio_text(report::speedup(base->phases.*phase, run->phases.*phase)) +
         (mark(*base).size() > mark(*run).size() ? mark(*base) : mark(*run));
}

std::vector<std::string> words(const std::string& text, char between) {
  std::vector<std::string> found;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, between);)
    if (!word.empty()) found.push_back(word);
  return found;
}

// "Everywhere precision=f64. "; empty if that is nothing.
std::string sentence(const report::Labels& labels) {
  const std::string shared = labels.everywhere();
  return shared.empty() ? shared : "Everywhere " + plain(shared, 2000) + ". ";
}

/// "commit A, B with local changes": of all sessions that some of the runs are from.
std::string commits(const report::MachineRuns& machine, const std::vector<const Run*>& runs) {
  std::string text;
  std::set<std::string> seen;
  for (const records::Document* session : machine.sessions) {
    const bool shown = std::any_of(session->runs.begin(), session->runs.end(), [&](const Run& run) {
      return std::find(runs.begin(), runs.end(), &run) != runs.end();
    });
    if (!shown || session->build.commit.empty()) continue;
    const std::string commit =
        plain(session->build.commit.substr(0, 12)) + (session->build.dirty ? " with local changes" : "");
    if (seen.insert(commit).second) text += (text.empty() ? ", commit " : ", ") + commit;
  }
  return text;
}

std::string origin(const report::MachineRuns& machine, const std::vector<const Run*>& runs, const Run* base) {
  const records::Document& latest = *machine.latest;
  std::string text =
      base ? "Speedups are over " + plain(base->variant.name) + " on " + plain(base->device.name) + ". " : "";
  text += "Measured on " + plain(latest.machine->cpu.name);
  std::set<std::string> seen;
  for (const records::Gpu& gpu : latest.machine->gpus)
    if (seen.insert(gpu.name).second) text += " and " + plain(gpu.name);
  if (!latest.machine->driver.empty()) text += ", driver " + plain(latest.machine->driver);
  if (!latest.build.compiler.empty()) text += ", " + plain(latest.build.compiler);
  if (!latest.build.cuda.empty()) text += ", CUDA " + plain(latest.build.cuda);
  if (const std::string card = report::card_of(latest); !card.empty()) text += ", card " + plain(card.substr(0, 12));
  text += commits(machine, runs) + ".";
  const auto any = [&](const auto& holds) { return std::any_of(runs.begin(), runs.end(), holds); };
  if (any([](const Run* run) { return run->timed() && run->phases.execute->passes < passes_of_a_published_figure; }))
    text += fmt::format(" n: passes, where there are fewer than {}.", passes_of_a_published_figure);
  if (any([](const Run* run) { return is_stale(*run); })) text += " †: measured with older sources.";
  return text + "\n";
}

// Of a run that was made on several cards of one kind of machine, the latest counts.
void drop_superseded(std::vector<records::Document>& documents) {
  using Identity = std::array<std::string, 4>;
  const auto identity = [](const records::Document& document, const Run& run) {
    return Identity{document.machine ? document.machine->id : "", run.key, run.variant.name, run.device.name};
  };
  std::map<Identity, std::string> latest;
  for (const records::Document& document : documents)
    if (!document.build.dirty)
      for (const Run& run : document.runs) {
        std::string& started = latest[identity(document, run)];
        started = std::max(started, document.session.started);
      }
  for (records::Document& document : documents)
    std::erase_if(document.runs, [&](const Run& run) { return document.session.started < latest[identity(document, run)]; });
}

// Of clean builds alone: the runs of an application (empty: of any) with one of these sizes (none: with any).
std::vector<records::Document> chosen(std::vector<records::Document> documents, const std::string& application,
                                      const std::vector<std::string>& sizes) {
  for (records::Document& document : documents)
    std::erase_if(document.runs, [&](const Run& run) {
      return (!application.empty() && run.application != application) ||
             (!sizes.empty() && std::find(sizes.begin(), sizes.end(), run.size) == sizes.end());
    });
  drop_superseded(documents);
  std::erase_if(documents, [](const records::Document& document) { return document.build.dirty || document.runs.empty(); });
  return documents;
}

// Problems that differ in one number: more of them are a curve, which the report draws.
constexpr std::size_t most_of_family = 4;

}  // namespace

std::string results_table(const std::vector<records::Document>& documents, const std::string& name) {
  const std::vector<std::string> spec = words(name, ' ');
  if (spec.empty() || spec.size() > 2)
    throw std::invalid_argument("'" + name + "' is no application, with or without sizes");
  const std::vector<records::Document> shown =
      chosen(documents, spec[0], spec.size() > 1 ? words(spec[1], ',') : std::vector<std::string>());
  std::string text;
  for (const report::MachineRuns& machine : report::by_machine(shown))
    for (const report::ApplicationRuns& found : machine.applications) {
      if (!text.empty()) text += "\n";
      text +=
          "| Problem | Variant | Device | Execute, median | 95 % interval | Rate | Of limit | Speedup, execute | "
          "Speedup, end to end | Verdict |\n"
          "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n";
      const Run* named = nullptr;
      const report::Labels labels(found.runs);
      std::set<std::string> ran;  // variants that another problem was for
      for (const Run* run : found.runs)
        if (run->status == records::Status::passed) ran.insert(run->variant.name);
      for (const report::Family& family : found.families)
        for (const report::ProblemRuns& problem : family.problems) {
          if (family.problems.size() > most_of_family && problem.label != family.largest().label) continue;
          const Run* base = report::fastest_on_host(problem.runs);
          if (!named) named = base;
          for (const Run* run : problem.runs)
            if (run->status != records::Status::skipped || !ran.contains(run->variant.name))
              text += row_of(labels.of(problem), *run, problem.runs);
        }
      text += "\n" + sentence(labels) + origin(machine, found.runs, named);
    }
  return text;
}

std::string summary_table(const std::vector<records::Document>& documents, const std::string& name) {
  const std::vector<std::string> spec = words(name, ' ');
  if (spec.empty() || spec.size() > 2)
    throw std::invalid_argument("'" + name + "' is no summary, with or without sizes");
  const std::vector<records::Document> shown =
      chosen(documents, "", spec.size() > 1 ? words(spec[1], ',') : std::vector<std::string>());
  std::string text;
  for (const report::MachineRuns& machine : report::by_machine(shown)) {
    std::string rows;
    const Run* named = nullptr;
    for (const report::ApplicationRuns& application : machine.applications) {
      const report::Labels labels(application.runs);
      for (const report::Family& family : application.families) {
        const auto& runs = family.largest().runs;
        const auto [host, gpu, execute] = report::same_algorithm(runs, &records::Phases::execute);
        if (!gpu) continue;
        if (!named) named = host;
        const Run* peer = report::fastest(runs, "gpu", report::Whose::peer);
        const auto against_peer =
            peer ? report::speedup(peer->phases.execute, gpu->phases.execute) : std::optional<report::Ratio>();
        const auto total = report::same_algorithm(runs, &records::Phases::end_to_end).ratio;
        const report::Comparison best = report::best_against_best(runs, &records::Phases::execute);
        rows += fmt::format(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", plain(application.name), plain(labels.of(family.largest())),
            host ? rate_text(*host) + mark(*host) : "–", rate_text(*gpu) + mark(*gpu),
            gpu->limit && gpu->limit->fraction ? report::percent(*gpu->limit->fraction) : "–",
            ratio_text(execute), ratio_text(total),
            best.ratio ? fmt::format("{} {} / {}", ratio_text(best.ratio), plain(best.gpu->variant.name),
                                     plain(best.host->variant.name))
                       : std::string("–"),
            against_peer ? report::times(against_peer->value) + " " + plain(peer->variant.name) : std::string("–"));
      }
    }
    if (rows.empty()) continue;
    if (!text.empty()) text += "\n";
    text +=
        "| Application | Problem | Host | GPU | GPU, of limit | Speedup, execute | Speedup, end to end | Best against "
        "best | Against a library |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | --- | --- |\n" +
        rows + "\n" + origin(machine, machine.runs, named);
  }
  return text;
}

std::string figures_table(const std::vector<records::Document>& documents, const std::string& name) {
  const std::vector<std::string> spec = words(name, ' ');
  if (spec.size() < 4) throw std::invalid_argument("'" + name + "' needs an application, sizes and figures");
  const std::vector<std::string> figures(spec.begin() + 3, spec.end());
  const std::vector<records::Document> shown = chosen(documents, spec[1], words(spec[2], ','));
  std::string text;
  for (const report::MachineRuns& machine : report::by_machine(shown))
    for (const report::ApplicationRuns& found : machine.applications) {
      std::string head = "| Problem | Variant | Device | Execute, median |", line = "| --- | --- | --- | ---: |";
      for (const std::string& figure : figures) {
        head += " " + plain(figure) + " |";
        line += " ---: |";
      }
      text += (text.empty() ? "" : "\n") + head + "\n" + line + "\n";
      const report::Labels labels(found.runs);
      for (const report::Family& family : found.families)
        for (const report::ProblemRuns& problem : family.problems)
          for (const Run* run : problem.runs) {
            if (!run->timed()) continue;
            text += "| " + plain(labels.of(problem)) + " | " + plain(run->variant.name) + " | " +
                    plain(run->device.name) + " | " + report::seconds(run->phases.execute->median, 4) + mark(*run) + " |";
            for (const std::string& figure : figures) {
              const auto value = run->choices.find(figure);
              text += " " + (value == run->choices.end() ? std::string("–") : plain(value->second)) + " |";
            }
            text += "\n";
          }
      text += "\n" + sentence(labels) + origin(machine, found.runs, nullptr);
    }
  return text;
}

std::string columns_table(const std::vector<records::Document>& documents, const std::string& name) {
  const std::vector<std::string> spec = words(name, ' ');
  if (spec.size() < 5) throw std::invalid_argument("'" + name + "' needs an application, sizes, a phase and columns");
  if (spec[3] != "execute" && spec[3] != "end_to_end")
    throw std::invalid_argument("'" + name + "': the phase is execute or end_to_end, not '" + spec[3] + "'");
  const auto phase = spec[3] == "execute" ? &records::Phases::execute : &records::Phases::end_to_end;
  const std::vector<std::string> columns(spec.begin() + 4, spec.end());
  const std::vector<records::Document> shown = chosen(documents, spec[1], words(spec[2], ','));

  std::string text;
  for (const report::MachineRuns& machine : report::by_machine(shown))
    for (const report::ApplicationRuns& found : machine.applications) {
      std::string head = "| Problem |", line = "| --- |";
      for (const std::string& column : columns) {
        const std::size_t slash = column.find('/');
        head += " " + plain(column.substr(0, slash)) +
                (slash == std::string::npos ? "" : " over " + plain(column.substr(slash + 1))) + " |";
        line += " ---: |";
      }
      text += (text.empty() ? "" : "\n") + head + "\n" + line + "\n";
      const report::Labels labels(found.runs);
      for (const report::Family& family : found.families)
        for (const report::ProblemRuns& problem : family.problems) {
          text += "| " + plain(labels.of(problem)) + " |";
          for (const std::string& column : columns) text += " " + cell_of(problem, column, phase) + " |";
          text += "\n";
        }
      text += "\n" + sentence(labels) + origin(machine, found.runs, nullptr);
    }
  return text;
}

std::string table_of(const std::vector<records::Document>& documents, const std::string& name) {
  const std::string kind = name.substr(0, name.find(' '));
  if (kind == "summary") return summary_table(documents, name);
  if (kind == "columns") return columns_table(documents, name);
  if (kind == "figures") return figures_table(documents, name);
  return results_table(documents, name);
}

}  // namespace speedwell::harness

#include "speedwell/harness/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "speedwell/harness/report/sections.hpp"

namespace speedwell::harness::report {
namespace {

using records::Run;
using records::Status;

std::string devices_text(const MachineRuns& machine) {
  const records::Machine& m = *machine.latest->machine;
  std::string text = "<strong>" + escape(m.cpu.name) + "</strong>";
  if (m.cpu.cores) text += fmt::format(" ({} core{})", *m.cpu.cores, *m.cpu.cores == 1 ? "" : "s");
  if (m.gpus.empty()) return text + ", no GPU";
  text += " against <strong>" + escape(m.gpus.front().name) + "</strong>";
  if (m.gpus.size() > 1) text += fmt::format(" (one of {} GPUs)", m.gpus.size());
  return text;
}

std::string tiles(const std::vector<const Run*>& runs) {
  const auto count = [&](Status a, Status b) {
    return std::count_if(runs.begin(), runs.end(), [&](const Run* r) { return r->status == a || r->status == b; });
  };
  const auto bad = count(Status::failed, Status::error);
  const auto skipped = count(Status::skipped, Status::skipped);
  return fmt::format(
      "<ul class=\"tiles\"><li><b>{} of {}</b>runs passed</li><li{}><b>{}</b>failed</li><li><b>{}</b>skipped, with "
      "reasons</li></ul>\n",
      count(Status::passed, Status::passed), runs.size(), bad ? " class=\"alarm\"" : "", bad, skipped);
}

// "between 1.3× and 45×": over the largest problems that passed on both devices.
std::string span_text(const MachineRuns& machine) {
  std::vector<double> execute, total;
  for (const ApplicationRuns& application : machine.applications)
    for (const Family& family : application.families) {
      const auto& runs = family.largest().runs;
      if (const auto r = same_algorithm(runs, &records::Phases::execute).ratio) execute.push_back(r->value);
      if (const auto r = same_algorithm(runs, &records::Phases::end_to_end).ratio) total.push_back(r->value);
    }
  if (execute.empty()) return {};
  const auto between = [](std::vector<double>& v) {
    const auto [low, high] = std::minmax_element(v.begin(), v.end());
    return v.size() == 1 ? times(*low) : "between " + times(*low) + " and " + times(*high);
  };
  std::string text = fmt::format("<p>On {} problem{}, the GPU executes {} as fast as the processor", execute.size(),
                                 execute.size() == 1 ? "" : "s", between(execute));
  if (!total.empty()) text += fmt::format("; with allocation and transfers, {}", between(total));
  return text + ".</p>\n";
}

// Which machine, how many runs passed, and what came of it in one sentence.
std::string headline(const MachineRuns& machine) {
  std::string html = "<p class=\"lead\">" + devices_text(machine) + "</p>\n" + tiles(machine.runs) + span_text(machine);
  if (!machine.superseded.empty())
    html += fmt::format(
        "<p class=\"note\">{} older records of the same runs are not shown: the latest session counts.</p>\n",
        machine.superseded.size());
  return html;
}

std::string machine_html(const MachineRuns& machine, std::size_t number, bool alone, Plotter& plotter) {
  const Detail& detail = plotter.detail();
  const std::string prefix = alone ? "" : fmt::format("machine-{}-", number);
  std::string html;
  if (!alone) html += fmt::format("<h1 id=\"{}top\">Machine {}</h1>\n", prefix, number) + headline(machine);
  html +=
      fmt::format("<section id=\"{}summary\"><h2>Summary</h2>{}</section>\n", prefix, summary_section(machine, detail));
  std::size_t shown = 0;
  for (const ApplicationRuns& application : machine.applications) {
    if (shown == detail.applications) break;
    html += application_section(application, fmt::format("{}application-{}", prefix, ++shown), plotter);
  }
  if (shown < machine.applications.size())
    html += fmt::format("<p class=\"note\">{} more applications are left out, so that the file stays small.</p>\n",
                        machine.applications.size() - shown);
  html += roofline_section(machine, plotter);
  return html + fmt::format("<section id=\"{}machine\"><h2>The machine</h2>{}</section>\n", prefix,
                            machine_section(machine, detail));
}

std::string navigation(const std::vector<MachineRuns>& machines, bool failures, const Detail& detail) {
  std::string html = "<nav aria-label=\"Contents\"><ul>";
  const auto link = [&](const std::string& id, const std::string& name) {
    html += fmt::format("<li><a href=\"#{}\">{}</a></li>", id, escape(name, 40));
  };
  if (failures) link("failures", "Failures");
  link("guide", "How to read this");
  const auto shown = [&](std::size_t size) { return std::min({std::size_t{30}, detail.applications, size}); };
  if (machines.size() == 1 && detail.applications > 0) {
    link("summary", "Summary");
    for (std::size_t i = 0; i < shown(machines[0].applications.size()); ++i)
      link(fmt::format("application-{}", i + 1), machines[0].applications[i].name);
    link("machine", "The machine");
  } else {
    for (std::size_t i = 0; i < shown(machines.size()); ++i)
      link(fmt::format("machine-{}-top", i + 1), fmt::format("Machine {}", i + 1));
  }
  link("glossary", "Words");
  return html + "</ul></nav>\n";
}

std::string page(const std::vector<records::Document>& documents, const std::vector<MachineRuns>& machines,
                 Plotter& plotter) {
  const std::string failures = failures_section(documents, machines, plotter.detail());
  std::string body = (machines.size() == 1 ? headline(machines.front()) : "") + failures + guide_section();
  std::size_t shown = 0;
  for (const MachineRuns& machine : machines) {
    if (shown == plotter.detail().applications) break;
    body += machine_html(machine, ++shown, machines.size() == 1, plotter);
  }
  if (shown < machines.size())
    body += fmt::format("<p class=\"note\">{} more machines are left out, so that the file stays small.</p>\n",
                        machines.size() - shown);
  body += glossary_section();
  std::string head =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, "
      "initial-scale=1\">\n<title>Speedwell report</title>\n<style>" +
      style_sheet() + "</style>\n</head>\n<body>\n<header><h1>Speedwell report</h1>\n";
  head +=
      "<p>What a GPU does for these HPC codes on this machine: every run verified, timed and set against the measured "
      "limits.</p>\n";
  if (machines.empty()) head += "<p>These records hold no runs.</p>\n";
  if (plotter.incomplete())
    head += plotter.detail().plots ? "<p class=\"note\">Some or all plots are missing, because gnuplot was not found "
                                     "or did not answer; their data "
                                     "stands in tables.</p>\n"
                                   : "<p class=\"note\">The plots are left out, so that the file stays small; their "
                                     "data stands in tables.</p>\n";
  head += "</header>\n" + navigation(machines, !failures.empty(), plotter.detail()) + "<main>\n";
  return head + body +
         "</main>\n<footer>Made from records of schema speedwell-records/1 alone.</footer>\n</body>\n</html>\n";
}

}  // namespace

std::string render_html(const std::vector<records::Document>& documents, const ReportOptions& options) {
  const std::vector<MachineRuns> machines = by_machine(documents);
  Plotter plotter(options);
  // From everything to the bare bones: the first that fits. The last has at most ten rows, of cells of bounded length.
  const std::array<Detail, 6> details = {Detail{},
                                         Detail{.rows = 200},
                                         Detail{.rows = 40, .families = 12},
                                         Detail{.rows = 40, .families = 12, .applications = 30, .plots = false},
                                         Detail{.rows = 10, .families = 1, .applications = 5, .plots = false},
                                         Detail{.rows = 10, .families = 0, .applications = 0, .plots = false}};
  std::string html;
  for (const Detail& detail : details) {
    plotter.restart(detail);
    html = page(documents, machines, plotter);
    if (html.size() <= options.most_bytes) break;
  }
  return html;
}

}  // namespace speedwell::harness::report

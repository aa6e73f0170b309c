// The parts of the page, each from the analysis of one machine's runs.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/harness/report/analysis.hpp"
#include "speedwell/harness/report/html.hpp"
#include "speedwell/harness/report/plot.hpp"
#include "speedwell/harness/report/report.hpp"

namespace speedwell::harness::report {

/// How much of the records is shown, so that the file keeps its size.
struct Detail {
  std::size_t rows = std::numeric_limits<std::size_t>::max();      // of a table
  std::size_t families = std::numeric_limits<std::size_t>::max();  // of an application
  std::size_t applications = std::numeric_limits<std::size_t>::max();
  bool plots = true;
};

/// Draws plots, gives each its own ids, and saves them if asked to.
class Plotter {
 public:
  explicit Plotter(const ReportOptions& options) : options_(options) {}

  /// Begins a page: numbers start again. What was drawn before is kept and not drawn twice.
  void restart(const Detail& detail);
  /// A figure: the plot under its title and above the sentence, then its data. Without gnuplot, all but the plot.
  std::string figure(const std::string& title, const std::string& sentence, const Script& script, const Table& data);
  const Detail& detail() const { return detail_; }
  /// Whether a plot could not be drawn since restart().
  bool incomplete() const { return incomplete_; }

 private:
  bool available();
  void save(const std::string& name, const Script& script, const std::string& svg) const;

  const ReportOptions& options_;
  Detail detail_;
  std::map<std::string, std::string> drawn_;  // script to raw SVG; empty text: gnuplot failed on it
  int number_ = 0;
  std::optional<bool> available_;
  bool incomplete_ = false;
};

/// "✓ ok", "✗ FAILED", "– skipped", "✗ error", with the reason.
Cell verdict_cell(const records::Run& run);
/// "3 ok, 1 FAILED, 2 skipped".
std::string count_text(const std::vector<const records::Run*>& runs);
/// The share of the limit, with the limit in words as the hint.
Cell limit_cell(const records::Run& run);
/// What the application's model foresaw over the measured median, with its time.
Cell prediction_cell(const records::Run& run);
/// The application's rate, with its unit.
Cell rate_cell(const records::Run& run);
/// "application problem", as headings name it: with what sets the problem apart from the application's others.
std::string problem_name(const ApplicationRuns& application, const ProblemRuns& problem);

/// Runs that did not pass, and commands that failed; empty text if there are none.
std::string failures_section(const std::vector<records::Document>& documents, const std::vector<MachineRuns>& machines,
                             const Detail& detail);
/// One line per application and problem: the processor's best against the GPU's best.
std::string summary_section(const MachineRuns& machine, const Detail& detail);
/// One application: variants, speedups, ladder, phases, energy, curves. `id` is the page's anchor.
std::string application_section(const ApplicationRuns& application, const std::string& id, Plotter& plotter);
/// Rooflines of the machine's devices.
std::string roofline_section(const MachineRuns& machine, Plotter& plotter);
/// What the machine is, what it can do at most, how the program was built and started.
std::string machine_section(const MachineRuns& machine, const Detail& detail);
/// How to read the page, and its words.
std::string guide_section();
std::string glossary_section();
/// The style sheet.
std::string style_sheet();

}  // namespace speedwell::harness::report

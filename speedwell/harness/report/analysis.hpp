// What records say together, before anybody formats it: which runs belong to one problem, which problems to one curve,
// who was best on which device, and ratios of times with their intervals. The report and the Markdown tables share it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "speedwell/harness/record_reader.hpp"

namespace speedwell::harness::report {

/// How many times faster. `interval` goes from the worst to the best pairing of the ends of the two times' 95 %
/// intervals: it holds whenever both of them do, so it is wide rather than narrow. Absent if either time has none.
struct Ratio {
  double value = 0;
  std::optional<std::pair<double, double>> interval;
};

/// `base` over `now`; nothing unless both are there and above zero.
std::optional<Ratio> speedup(const std::optional<records::Phase>& base, const std::optional<records::Phase>& now);

/// The runs of one problem, their variants in the order in which all records have them.
struct ProblemRuns {
  std::string label;               // "kernel=triad n=1000"
  std::optional<double> abscissa;  // the value of the family's swept parameter
  std::vector<const records::Run*> runs;
};

/// Problems that differ in one number alone (or in several that grow together), smallest first.
struct Family {
  std::string label;  // of what stays the same: "kernel=triad precision=f64"; may be empty
  std::string sweep;  // the parameter that varies: "n", "columns, rows"; empty: a single problem
  std::vector<ProblemRuns> problems;

  const ProblemRuns& largest() const { return problems.back(); }
};

struct ApplicationRuns {
  std::string name, title;
  std::vector<const records::Run*> runs;
  std::vector<Family> families;
};

/// Everything that was run on one kind of machine and one card. Of several records of the same run (key, variant,
/// device) the one of the latest session counts; the others are `superseded`.
struct MachineRuns {
  const records::Document* latest = nullptr;  // whose build and session are shown
  records::Machine machine;                   // of the latest session, each ceiling from the latest that measured it
  std::vector<const records::Document*> sessions;
  std::vector<const records::Run*> runs, superseded;
  std::vector<ApplicationRuns> applications;
};

/// "kernel=triad n=1000": the problem of a run, without some of its parameters.
std::string label_of(const records::Run& run, const std::set<std::string>& without = {});
/// What tells the problems of one table apart; where nothing does, the name of the size.
class Labels {
 public:
  explicit Labels(const std::vector<const records::Run*>& runs);

  std::string of(const ProblemRuns& problem) const;
  /// "precision=f64, seed=1": what the labels leave out, as it is the same in all of the runs; may be empty.
  std::string everywhere() const;

 private:
  const records::Run* first_;
  std::set<std::string> shared_;  // parameters
};

/// The UUID of the GPU on which a document's runs were made, or which stood beside them; empty without a GPU.
std::string card_of(const records::Document& document);

/// Pointers into `documents`. Two cards are two machines, also of one kind: they differ by some percent. Machines,
/// applications and problems stand in the order of first appearance.
std::vector<MachineRuns> by_machine(const std::vector<records::Document>& documents);

/// One phase of a run.
using PhaseOf = std::optional<records::Phase> records::Phases::*;

/// The run on a device of this kind (core, cores, gpu) that is fastest in a phase: of Speedwell's own variants, or of
/// the peers.
enum class Whose { own, peer };
/// With `algorithm`: of the variants of that algorithm alone.
const records::Run* fastest(const std::vector<const records::Run*>& runs, std::string_view kind, Whose whose,
                            PhaseOf phase = &records::Phases::execute,
                            const std::optional<std::string>& algorithm = std::nullopt);

/// The processor's best in a phase: all cores if they were timed, else one core, else nothing.
const records::Run* fastest_on_host(const std::vector<const records::Run*>& runs,
                                    PhaseOf phase = &records::Phases::execute,
                                    const std::optional<std::string>& algorithm = std::nullopt);

/// A run on the processor and one on the GPU, and how many times faster the GPU is. A run is null where there is none.
struct Comparison {
  const records::Run* host = nullptr;
  const records::Run* gpu = nullptr;
  std::optional<Ratio> ratio;
};
/// The GPU's fastest own variant in a phase against the fastest own one on the processor that has the same algorithm.
Comparison same_algorithm(const std::vector<const records::Run*>& runs, PhaseOf phase);
/// The fastest on each in a phase, whatever its algorithm and whoever wrote it.
Comparison best_against_best(const std::vector<const records::Run*>& runs, PhaseOf phase);

/// Steps of the ladder with their gain over the step before that passed; the first has none.
struct Step {
  const records::Run* run = nullptr;
  const records::Run* before = nullptr;
  std::optional<Ratio> gain;
};
/// Empty unless at least two steps were timed.
std::vector<Step> ladder(const std::vector<const records::Run*>& runs);

/// The figure of merit that says most about a run, and that all of `runs` have: the application's own rate, else
/// bandwidth, else operations, else the execute time.
enum class Merit { rate, bandwidth, operations, time };
Merit merit_of(const std::vector<const records::Run*>& runs);
/// Its value and interval (from that of the time); nothing if the run was not timed.
std::optional<Ratio> merit(const records::Run& run, Merit which);
/// Its unit: "GCUPS", "GB/s", "Gop/s", "s".
std::string merit_unit(const std::vector<const records::Run*>& runs, Merit which);

}  // namespace speedwell::harness::report

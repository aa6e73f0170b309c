// The outcomes of a command as they come: its records, and what its exit status and its last lines are made of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "speedwell/harness/measurement/experiment.hpp"
#include "speedwell/harness/records/record.hpp"

namespace speedwell::harness {

/// The end of a command that ran variants.
struct RunEnd {
  int status = 0;           // 0; 1: a wrong answer; 4: nothing that was asked for can run here; else that of an error
  Json document;            // of all runs, with the first error of that status
  std::string unavailable;  // why nothing ran that was asked for, or empty
  std::vector<std::string> errors;  // a line for each run that failed
  /// The share of the processors that other processes had while the host was measured, where that spoils times.
  std::optional<double> busy_percent;
};

class RunLog {
 public:
  /// `chosen_variants` is the option that selects variants; `folder`: where records.jsonl gets a line for each run, or
  /// empty.
  RunLog(Session session, std::string chosen_variants, std::string folder);

  /// Throws io::OutputError.
  void add(const std::vector<Outcome>& outcomes, const machine::Machine& machine, const machine::Ceilings& ceilings);

  /// `interrupted`: the status of a command that was stopped by a signal, or 0.
  RunEnd end(const machine::Machine& machine, const machine::Ceilings& ceilings, int interrupted);

 private:
  struct Failed {
    int status;
    std::string id, message;
  };
  static Failed failure_in(const Outcome& outcome);
  bool is_named_exactly(const Variant& variant) const;

  Session session_;
  std::string chosen_variants_, folder_;
  std::vector<Json> runs_;
  std::vector<Failed> failures_;
  std::vector<Outcome> named_skips_;  // skipped variants that are chosen by their full name
  machine::HostLoad host_load_;       // while variants on the host were measured
  int status_ = 0;
};

/// A line for each variant that ran: passes, samples, checks and choices.
std::vector<std::string> details(const std::vector<Outcome>& outcomes);

}  // namespace speedwell::harness

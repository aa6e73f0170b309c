// What the runs of all solvers share: the folder, and the clock.
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "speedwell/cli/solve.hpp"

namespace speedwell::cli {

/// Makes the folder and puts the case into it; throws UsageError for one that is not empty without --force or --resume,
/// io::OutputError.
void prepare_folder(const SolveOptions& options, const std::string& case_text);

/// When a run ends early, and how it says how far it is.
class SolveClock {
 public:
  SolveClock(const SolveOptions& options, std::ostream& err) : options_(options), err_(err) {}

  /// After a signal, or when the time is over.
  std::optional<SolveEnd> ends_early() const;
  /// Says text(seconds since the run began) where progress is wanted, once in a while and for the last time.
  void show_progress(bool last, const std::function<std::string(double)>& text);

 private:
  using Clock = std::chrono::steady_clock;

  const SolveOptions& options_;
  std::ostream& err_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point shown_ = begin_;
};

}  // namespace speedwell::cli

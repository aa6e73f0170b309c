// What the runs of all solvers share: the folder, and the clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "speedwell/cli/solve.hpp"
#include "speedwell/io/folder_lock.hpp"

namespace speedwell::cli {

/// The folder of a run, which one process at a time writes into. Nothing is written before begin(), so that a run that
/// is refused leaves the folder as it was.
class RunFolder {
 public:
  /// Throws UsageError for a folder that is not empty without --force or --resume; io::InputError for --resume where
  /// there is no folder, or where its run.json cannot be read; io::OutputError output.locked where another process
  /// writes into it. `options` must outlive it.
  RunFolder(const SolveOptions& options, std::ostream& err);

  std::string path(const std::string& name) const;
  /// The number of the run, counted from 1 in this folder; 0: one that version 0.1 began. Of a run that is resumed it
  /// is unknown where the folder has lost its run.json, until it is set from the checkpoint. Known from begin() on.
  std::optional<std::int64_t> run() const { return run_; }
  void set_run(std::int64_t run) { run_ = run; }

  /// Once nothing can be refused any more: makes the folder, removes what killed runs have left half-written, and
  /// writes run.json and the case. Throws io::OutputError; UsageError if a folder that was empty is so no longer.
  void begin(const std::string& case_text);

 private:
  bool is_empty() const;
  void lock();

  const SolveOptions& options_;
  std::ostream& err_;
  std::optional<io::FolderLock> lock_;
  std::optional<std::int64_t> run_;
};

/// After an end that was asked for and saved: how to go on. Nothing after others.
void say_how_to_go_on(const SolveOptions& options, SolveEnd end, std::int64_t step, std::ostream& err);

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

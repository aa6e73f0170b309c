// The folder of a run: its lock, the number of the run, and what is in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "speedwell/io/folder_lock.hpp"
#include "speedwell/simulation/options.hpp"

namespace speedwell::simulation {

/// The folder of a run, which one process at a time writes into. Nothing is written before begin(), so that a run that
/// is refused leaves the folder as it was.
class RunFolder {
 public:
  /// Throws std::invalid_argument for no name; FolderNotEmpty for a folder that is not empty without `force` or
  /// `resume`; io::InputError for `resume`
  /// where there is no folder, or where its run.json cannot be read; io::OutputError output.locked where another
  /// process writes into it. `options` must outlive it.
  explicit RunFolder(const SimulationOptions& options);

  std::string path(const std::string& name) const;
  /// The number of the run, counted from 1 in this folder; 0: one that version 0.1 began. Of a run that is resumed it
  /// is unknown where the folder has lost its run.json, until it is set from the checkpoint. Known from begin() on.
  std::optional<std::int64_t> run() const { return run_; }
  void set_run(std::int64_t run) { run_ = run; }

  /// Once nothing can be refused any more: makes the folder, removes what killed runs have left half-written, and
  /// writes run.json and the case, if there is one. Throws io::OutputError; FolderNotEmpty if a folder that was empty
  /// is so no longer.
  void begin(const std::string& case_text);

 private:
  bool is_empty() const;
  void lock();

  const SimulationOptions& options_;
  std::optional<io::FolderLock> lock_;
  std::optional<std::int64_t> run_;
};

/// Throws io::OutputError.
void make_folder(const std::string& path);

}  // namespace speedwell::simulation

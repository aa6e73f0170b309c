// The folder of a run: its lock, the number of the run, and its files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "speedwell/io/folder_lock.hpp"
#include "speedwell/simulation/options.hpp"

namespace speedwell::simulation {

/// Throws io::InputError for `resume` if there is no folder. To be called before the case is read, which may be in it.
void require_folder_to_resume(const SimulationOptions& options);

/// The folder of a run, with exclusive write access. Before begin() nothing is written but the lock of claim(), so that
/// a rejected run does not change the folder.
class RunFolder {
 public:
  /// Throws std::invalid_argument for an empty name; FolderNotEmpty for a folder that is not empty without `force` or
  /// `resume`; io::InputError for `resume` if there is no folder or its run.json cannot be read; io::OutputError
  /// output.locked if another process writes into it; core::Unavailable as require_field_format(). `options` must
  /// outlive it.
  explicit RunFolder(const SimulationOptions& options);

  std::string path(const std::string& name) const;
  /// The number of the run, counted from 1 in this folder; 0 for runs started by version 0.1. For a resumed run in a
  /// folder without run.json it is unknown until it is set from the checkpoint. Known from begin() on.
  std::optional<std::int64_t> run() const { return run_; }
  void set_run(std::int64_t run) { run_ = run; }
  /// The format of the fields that are written from now on.
  FieldFormat field_format() const { return field_format_; }
  /// XXH3-128 of the case in hexadecimal digits; empty before begin() and without a case.
  const std::string& case_digest() const { return case_digest_; }

  /// Creates the folder and gets exclusive access to it, before anything that takes long; begin() does so, too. Throws
  /// io::OutputError; FolderNotEmpty if the folder is no longer empty.
  void claim();
  /// To be called after all checks: creates the folder, removes incomplete files of killed runs, and writes run.json
  /// and the case, if there is one. Throws io::OutputError; FolderNotEmpty if the folder is no longer empty.
  void begin(const std::string& case_text);

 private:
  bool is_empty() const;
  void lock();

  const SimulationOptions& options_;
  std::optional<io::FolderLock> lock_;
  std::optional<std::int64_t> run_;
  FieldFormat field_format_ = FieldFormat::vtk;
  std::string case_digest_;
};

/// Throws core::Unavailable, with the reason, if fields cannot be written in this format.
void require_field_format(FieldFormat format);

/// Throws io::OutputError.
void make_folder(const std::string& path);

}  // namespace speedwell::simulation

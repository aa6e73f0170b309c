// What a run goes on from: the newest checkpoint, and histories up to there.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/cli/solve_run.hpp"
#include "speedwell/io/checkpoint.hpp"
#include "speedwell/io/vtk.hpp"

namespace speedwell::cli {

/// A case. Throws io::InputError input.open, and input.too_large for more than limits::case_bytes.
std::string read_case_text(const std::string& path);
/// A history, or another text that a run has written itself. Throws io::InputError input.open.
std::string read_text(const std::string& path);

/// What a run has noted in a checkpoint. All throw io::InputError input.checkpoint.manifest for a value that is not
/// there or is another, which makes a run go back to the checkpoint before.
class CheckpointDetails {
 public:
  /// The checkpoint must outlive it.
  explicit CheckpointDetails(const io::Checkpoint& from);
  ~CheckpointDetails();
  CheckpointDetails(const CheckpointDetails&) = delete;
  CheckpointDetails& operator=(const CheckpointDetails&) = delete;

  bool has(const std::string& key) const;
  double time() const;
  std::int64_t count(const std::string& key) const;
  std::map<std::string, std::string> settings() const;
  /// Files with their times: of fields, or of another series.
  std::vector<io::TimedFile> files(const std::string& key = "files") const;
  /// Sums and the number of their samples.
  std::pair<std::int64_t, std::vector<double>> profiles() const;

 private:
  [[noreturn]] void refuse(const std::string& key, const std::string& wanted) const;

  const io::Checkpoint& from_;
  std::unique_ptr<const nlohmann::json> json_;
};

/// As CheckpointDetails::files() reads it.
nlohmann::json files_as_json(const std::vector<io::TimedFile>& files);

/// Throws io::OutputError.
void make_folder(const std::string& path);

/// Calls read(checkpoint, details) for the newest checkpoint of the folder's run that is whole; one that is not costs a
/// warning. A std::invalid_argument of read() is the checkpoint's fault. Throws io::InputError where there is none,
/// where it was made with other settings than these, and what was wrong with the last one. Sets the folder's run if it
/// is unknown.
void resume_from(RunFolder& folder, const std::map<std::string, std::string>& settings,
                 const std::function<void(const io::Checkpoint&, const CheckpointDetails&)>& read, std::ostream& err);

/// Keeps the header and the lines of a history, whose second column is the step, up to `last_step`; a file that is
/// missing or empty becomes `header`. Throws io::OutputError.
void cut_history(const std::string& path, const std::string& header, std::int64_t last_step);

}  // namespace speedwell::cli

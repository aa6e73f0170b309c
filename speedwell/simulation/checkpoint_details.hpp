// What a run notes in its checkpoints beside the fields: written by DetailsWriter, read by CheckpointDetails.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/io/checkpoint.hpp"
#include "speedwell/io/vtk.hpp"

namespace speedwell::simulation {

/// A JSON object, for io::write_checkpoint().
class DetailsWriter {
 public:
  DetailsWriter();
  ~DetailsWriter();
  DetailsWriter(const DetailsWriter&) = delete;
  DetailsWriter& operator=(const DetailsWriter&) = delete;

  /// As CheckpointDetails reads them under the same key.
  void add(const std::string& key, double value);
  void add(const std::string& key, std::int64_t value);
  void add(const std::string& key, const std::map<std::string, std::string>& values);
  void add(const std::string& key, const std::vector<io::TimedFile>& files);
  void add(const std::string& key, std::int64_t samples, const std::vector<double>& sums);
  std::string text() const;

 private:
  struct Json;
  std::unique_ptr<Json> json_;
};

/// All throw io::InputError input.checkpoint.manifest for a value that is not there or is of another kind, which makes
/// a run go back to the checkpoint before.
class CheckpointDetails {
 public:
  /// The checkpoint must outlive it.
  explicit CheckpointDetails(const io::Checkpoint& from);
  ~CheckpointDetails();
  CheckpointDetails(const CheckpointDetails&) = delete;
  CheckpointDetails& operator=(const CheckpointDetails&) = delete;

  bool has(const std::string& key) const;
  /// A number from 0 on.
  double time(const std::string& key = "time") const;
  std::int64_t count(const std::string& key) const;
  std::map<std::string, std::string> settings() const;
  /// Files with their times: of fields, or of another series.
  std::vector<io::TimedFile> files(const std::string& key = "files") const;
  /// Sums and the number of their samples.
  std::pair<std::int64_t, std::vector<double>> profiles() const;

 private:
  struct Json;
  [[noreturn]] void refuse(const std::string& key, const std::string& wanted) const;

  const io::Checkpoint& from_;
  std::unique_ptr<const Json> json_;
};

}  // namespace speedwell::simulation

// Data of a run in its checkpoints in addition to fields: written by DetailsWriter, read by CheckpointDetails.
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

  /// CheckpointDetails reads values by the same keys.
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

/// All functions throw io::InputError input.checkpoint.manifest for a missing value or one of another type; a run then
/// resumes from the previous checkpoint.
class CheckpointDetails {
 public:
  /// The checkpoint must outlive it.
  explicit CheckpointDetails(const io::Checkpoint& from);
  ~CheckpointDetails();
  CheckpointDetails(const CheckpointDetails&) = delete;
  CheckpointDetails& operator=(const CheckpointDetails&) = delete;

  bool has(const std::string& key) const;
  /// A non-negative number.
  double time(const std::string& key = "time") const;
  std::int64_t count(const std::string& key) const;
  std::map<std::string, std::string> settings() const;
  /// The files of a series, such as fields, with their times.
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

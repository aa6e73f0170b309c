// Checkpoints: a folder step-000001200/ with one raw little-endian file for each field, in the layout of the whole
// mesh, and manifest.json with shapes, sums and what else a program needs to go on. A folder appears under its name
// when all of it is on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace speedwell::io {

struct CheckpointField {
  std::string name;     // of its file: letters, digits and '-'
  std::string element;  // "f64", "f32"
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
};

/// Writes DIR/step-NNNNNNNNN and then removes all but the newest two. `details` is a JSON object of the program's own.
/// Throws OutputError; older checkpoints are then untouched.
void write_checkpoint(const std::string& dir, std::int64_t step, const std::vector<CheckpointField>& fields,
                      const std::string& details);

class Checkpoint {
 public:
  const std::string& path() const { return path_; }
  std::int64_t step() const { return step_; }
  const std::string& details() const { return details_; }
  /// Overwrites `bytes` with a field. Throws InputError input.checkpoint.shape if it is another, and
  /// input.checkpoint.sum if a block of it is not what was
  /// written, and input.checkpoint.manifest for a manifest without what there should be.
  void read(const CheckpointField& field, std::span<std::byte> bytes) const;

 private:
  friend std::vector<Checkpoint> checkpoints_in(const std::string&);
  std::string path_, details_, manifest_;
  std::int64_t step_ = 0;
};

/// Those whose manifests can be read, the newest first.
std::vector<Checkpoint> checkpoints_in(const std::string& dir);

}  // namespace speedwell::io

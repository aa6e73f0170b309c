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

/// A field as the manifest has it.
struct StoredField {
  std::string name, element;
  std::vector<std::int64_t> shape;
  std::uint64_t bytes = 0;
};

class Checkpoint {
 public:
  const std::string& path() const { return path_; }
  std::int64_t step() const { return step_; }
  const std::string& details() const { return details_; }
  /// Throw InputError: input.checkpoint.manifest for a manifest without what there should be.
  std::vector<StoredField> fields() const;
  /// Overwrites `bytes` with a field; InputError input.checkpoint.shape if it is another, or its file has another size,
  /// and input.checkpoint.sum if a block of it is not what was written.
  void read(const CheckpointField& field, std::span<std::byte> bytes) const;
  /// Holds every block of every field against its sum, in the memory of one block; throws as read() does.
  void verify() const;

 private:
  friend std::vector<Checkpoint> checkpoints_in(const std::string&);
  std::string path_, details_, manifest_;
  std::int64_t step_ = 0;
};

/// Those whose manifests can be read, the newest first.
std::vector<Checkpoint> checkpoints_in(const std::string& dir);
/// Folders with the name of a checkpoint whose manifests cannot, in the order of their names.
std::vector<std::string> unreadable_checkpoints_in(const std::string& dir);

}  // namespace speedwell::io

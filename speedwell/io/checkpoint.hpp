// Checkpoints: a folder step-000001200/ with one raw little-endian file for each field, in the layout of the whole
// mesh, and manifest.json with shapes, checksums and further data for resuming, which ends with its own digest. A
// folder gets its name when it is completely on the disk, and loses it before anything in it is removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "speedwell/io/error.hpp"

namespace speedwell::io {

struct CheckpointField {
  std::string name;     // name of its file: letters, digits and '-'
  std::string element;  // "f64", "f32"
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
};

/// Writes DIR/step-NNNNNNNNN, reads it back, and then removes all others but the previous one of the same run: those of
/// earlier runs, and those of later steps, from which the run has returned. `run` counts the runs in a folder, from 1;
/// `details` is a JSON object of the program. Throws OutputError, also if the data read back differ; older checkpoints
/// are then kept. Throws std::invalid_argument for a step or run below 0.
void write_checkpoint(const std::string& dir, std::int64_t step, const std::vector<CheckpointField>& fields,
                      const std::string& details, std::int64_t run = 1);

/// A field of a manifest.
struct StoredField {
  std::string name, element;
  std::vector<std::int64_t> shape;
  std::uint64_t bytes = 0;
};

class Checkpoint {
 public:
  const std::string& path() const { return path_; }
  std::string manifest_path() const { return path_ + "/manifest.json"; }
  std::int64_t step() const { return step_; }
  /// The number of the run in its folder that wrote it; 0 for version 0.1, which did not count runs.
  std::int64_t run() const { return run_; }
  const std::string& details() const { return details_; }
  /// Throw InputError input.checkpoint.manifest for an incomplete manifest.
  std::vector<StoredField> fields() const;
  /// Overwrites `bytes` with a field. Throws InputError: input.checkpoint.shape if the field or the size of its file
  /// differs, and input.checkpoint.sum if the checksum of a block differs.
  void read(const CheckpointField& field, std::span<std::byte> bytes) const;
  /// Checks the checksums of all blocks of all fields, with the memory of one block; throws as read() does.
  void verify() const;

 private:
  friend Checkpoint open_checkpoint(const std::string&, const std::string&);
  std::string path_, details_, manifest_;
  std::int64_t step_ = 0, run_ = 0;
};

/// A folder with the name of a checkpoint but without a valid manifest.
struct UnreadableCheckpoint {
  std::string path;
  std::int64_t step;  // step in its name; -1 if that is not a number
  InputError why;     // input.checkpoint.manifest, or input.checkpoint.sum if the manifest's digest differs
};

struct CheckpointListing {
  std::vector<Checkpoint> readable;              // newest first
  std::vector<UnreadableCheckpoint> unreadable;  // ordered by name
  std::vector<std::string> leftovers;            // of interrupted saves and removals, ordered by name
};

/// The contents of a folder of checkpoints; empty if there is no such folder. Manifests of version 0.1
/// (speedwell-checkpoint/1), which have no digest, are read, too. Throws InputError input.open for a folder that cannot
/// be read.
CheckpointListing list_checkpoints(const std::string& dir);
/// The readable checkpoints of a folder.
std::vector<Checkpoint> checkpoints_in(const std::string& dir);
/// Removes the leftovers; errors are ignored. Only for the process that has the folder locked.
void remove_leftovers(const std::string& dir);

}  // namespace speedwell::io

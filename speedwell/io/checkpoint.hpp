// Checkpoints: a folder step-000001200/ with one raw little-endian file for each field, in the layout of the whole
// mesh, and manifest.json with shapes, sums and what else a program needs to go on, and at its end a digest of itself.
// A folder appears under its name when all of it is on the disk, and loses that name before any of it is removed.
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
  std::string name;     // of its file: letters, digits and '-'
  std::string element;  // "f64", "f32"
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
};

/// Writes DIR/step-NNNNNNNNN, reads it back, and then removes all but it and the one before of the same run: those of
/// earlier runs, and those of later steps, which the run has gone back from. `run` counts the runs that were begun in
/// one folder, from 1; `details` is a JSON object of the program's own. Throws OutputError, also where what was read
/// back is not what was written; older checkpoints are then untouched. Throws std::invalid_argument for a step or run
/// below 0.
void write_checkpoint(const std::string& dir, std::int64_t step, const std::vector<CheckpointField>& fields,
                      const std::string& details, std::int64_t run = 1);

/// A field as the manifest has it.
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
  /// The run that wrote it, of those in its folder; 0: one of version 0.1, which did not count them.
  std::int64_t run() const { return run_; }
  const std::string& details() const { return details_; }
  /// Throw InputError: input.checkpoint.manifest for a manifest without what there should be.
  std::vector<StoredField> fields() const;
  /// Overwrites `bytes` with a field; InputError input.checkpoint.shape if it is another, or its file has another size,
  /// and input.checkpoint.sum if a block of it is not what was written.
  void read(const CheckpointField& field, std::span<std::byte> bytes) const;
  /// Holds every block of every field against its sum, in the memory of one block; throws as read() does.
  void verify() const;

 private:
  friend Checkpoint open_checkpoint(const std::string&, const std::string&);
  std::string path_, details_, manifest_;
  std::int64_t step_ = 0, run_ = 0;
};

/// One that has the name of a checkpoint and no manifest that can be trusted.
struct UnreadableCheckpoint {
  std::string path;
  std::int64_t step;  // of its name; -1 if that is no number
  InputError why;     // input.checkpoint.manifest, or input.checkpoint.sum where the manifest is not what was written
};

struct CheckpointListing {
  std::vector<Checkpoint> readable;              // the newest first
  std::vector<UnreadableCheckpoint> unreadable;  // in the order of their names
  std::vector<std::string> leftovers;  // of a save or a removal that was interrupted, in the order of their names
};

/// What is in a folder of checkpoints; nothing if there is no such folder. Manifests of version 0.1
/// (speedwell-checkpoint/1), which have no digest, are read, too. Throws InputError input.open for a folder that cannot
/// be read.
CheckpointListing list_checkpoints(const std::string& dir);
/// Of these the readable ones.
std::vector<Checkpoint> checkpoints_in(const std::string& dir);
/// Removes the leftovers; what cannot be removed stays. For the process that alone writes into the folder.
void remove_leftovers(const std::string& dir);

}  // namespace speedwell::io

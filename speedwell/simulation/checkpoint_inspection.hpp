// The checkpoints in the folder of a run, each with what it holds and whether it is what was written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/io/checkpoint.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::simulation {

struct InspectedCheckpoint {
  std::string path;
  std::optional<std::int64_t> step, run;
  std::optional<double> time;
  std::vector<io::StoredField> fields;
  std::optional<io::InputError> fault;
  bool leftover = false;  // of a save or a removal that was interrupted: no checkpoint, and no fault

  std::uint64_t bytes() const;
};

/// The checkpoints of a run's folder, or of its folder of checkpoints, at one moment; with `verify` the checksums of
/// all their fields are checked, too. A run may be writing into the folder: it removes its older checkpoints, whose
/// names it takes away first, so that one that disappears while it is read is not damaged, and the folder is read
/// again, a few times. Throws io::InputError: input.open if `folder` is no folder or cannot be read, and
/// input.checkpoint.none if there is no checkpoint in it.
std::vector<InspectedCheckpoint> inspect_checkpoints(const std::string& folder, bool verify);

/// The fields as text, where those of one element and shape share a word: "u v w p: f64 128 x 64 x 128".
std::string fields_text(const std::vector<io::StoredField>& fields);

}  // namespace speedwell::simulation

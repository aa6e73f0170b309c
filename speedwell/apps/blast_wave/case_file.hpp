// Cases of `speedwell solve` with solver = "blast_wave": TOML with `schema = 1`; case_keys.cpp has the keys.
#pragma once

#include <map>
#include <string>

#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/io/cases/case_keys.hpp"

namespace speedwell::blast_wave {

/// All keys of a case, with their types, defaults and explanations.
const io::CaseSchema& case_schema();

/// The settings of a case file.
struct BlastCase {
  Problem problem;
  /// File with the initial state, 5 x nz x ny x nx values in f64, little-endian: density, momentum along x, y and z,
  /// and energy per volume. Empty: the blast of `problem`.
  std::string start_file;
  std::int64_t history_every = 1, fields_every = 0, checkpoint_every = 0;  // steps; 0: never
  /// Every setting that the flow depends on, by its key, as text. A run can be resumed only if they are equal.
  std::map<std::string, std::string> settings;
};

/// Throws io::InputError: input.case.syntax for text that is not TOML, input.case.schema, input.case.key for an unknown
/// key, and input.case.value for a value that is not allowed. `file` is the name in messages, `text` the contents.
BlastCase read_case(const std::string& file, const std::string& text);

/// The initial state: the blast, or the state in the start file. Throws io::InputError input.case.start if the file
/// cannot be read, does not have the size of the mesh, or has a density or pressure that is not above 0.
State initial_state(const BlastCase& blast_case);

}  // namespace speedwell::blast_wave

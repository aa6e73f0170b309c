// Cases of `speedwell solve` with solver = "blast_wave": TOML with `schema = 1`; case_keys.cpp has the keys.
#pragma once

#include <map>
#include <string>

#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/io/cases/case_keys.hpp"

namespace speedwell::blast_wave {

/// All keys of a case.
const io::CaseSchema& case_schema();

struct BlastCase {
  Problem problem;
  std::string start_file;  // five variables of all points in f64, little-endian, one after the other; empty: the blast
  std::int64_t history_every = 1, fields_every = 0, checkpoint_every = 0;  // steps; 0: never
  /// Every setting that the flow depends on, by its key, as text. A run can be resumed only if they are equal.
  std::map<std::string, std::string> settings;
};

/// Throws io::InputError as incompressible_flow::read_case() does, with the same ids.
BlastCase read_case(const std::string& file, const std::string& text);

/// The initial state: the blast, or the state in the start file. Throws io::InputError input.case.start if the file
/// cannot be read, does not have the size of the mesh, or has a density or pressure that is not above 0.
State beginning(const BlastCase& blast_case);

}  // namespace speedwell::blast_wave

// Cases of `speedwell solve` with solver = "binary_fluid": TOML with `schema = 1`; case_keys.cpp has the keys.
#pragma once

#include <map>
#include <string>

#include "speedwell/apps/binary_fluid/initial.hpp"
#include "speedwell/apps/binary_fluid/problem.hpp"
#include "speedwell/apps/binary_fluid/verify.hpp"
#include "speedwell/io/case_keys.hpp"

namespace speedwell::binary_fluid {

/// All keys of a case.
const io::CaseSchema& case_schema();

struct FluidCase {
  Problem problem;
  Beginning beginning;
  Precision precision = Precision::f64;
  /// phi of every site in f64, little-endian, x fastest, of a fluid at rest; or f - w and g, population after
  /// population: which of the two its size tells. Empty: the beginning.
  std::string start_file;
  std::int64_t history_every = 100, fields_every = 0, checkpoint_every = 0;  // steps; 0: never
  /// Every setting that the fluid depends on, by its key, as text: what must be alike for a run to be resumed.
  std::map<std::string, std::string> settings;
};

/// Throws io::InputError: input.case.syntax, .schema, .key, and .value for what a key cannot be.
FluidCase read_case(const std::string& file, const std::string& text);

/// What the run begins with. Throws io::InputError input.case.start for a start file that cannot be read, of another
/// size, or with a value that is not finite.
State beginning(const FluidCase& fluid_case);

}  // namespace speedwell::binary_fluid

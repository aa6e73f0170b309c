// Cases of `speedwell solve` with solver = "binary_fluid": TOML with `schema = 1`; case_keys.cpp has the keys.
#pragma once

#include <map>
#include <string>

#include "speedwell/apps/binary_fluid/initial.hpp"
#include "speedwell/apps/binary_fluid/problem.hpp"
#include "speedwell/apps/binary_fluid/verify/verify.hpp"
#include "speedwell/io/cases/case_keys.hpp"

namespace speedwell::binary_fluid {

/// All keys of a case.
const io::CaseSchema& case_schema();

struct FluidCase {
  Problem problem;
  Beginning beginning;
  Precision precision = Precision::f64;
  /// File with phi of every site of a fluid at rest in f64, little-endian, x fastest, or with f - w and g, population
  /// after population; the size of the file tells which. Empty: start from `beginning`.
  std::string start_file;
  std::int64_t history_every = 100, fields_every = 0, checkpoint_every = 0;  // steps; 0: never
  /// Every setting that the fluid depends on, by its key, as text. A run can be resumed only if they are equal.
  std::map<std::string, std::string> settings;
};

/// Throws io::InputError: input.case.syntax, .schema, .key, and .value for a value that is not allowed.
FluidCase read_case(const std::string& file, const std::string& text);

/// The initial state of the run. Throws io::InputError input.case.start for a start file that cannot be read, of
/// another size, or with a value that is not finite.
State initial_state(const FluidCase& fluid_case);

}  // namespace speedwell::binary_fluid

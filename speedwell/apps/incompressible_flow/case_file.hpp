// Cases of `speedwell solve`: TOML with `schema = 1`; case_keys.cpp has the keys. A key that is not known is an error.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/apps/incompressible_flow/samples.hpp"
#include "speedwell/io/case_keys.hpp"

namespace speedwell::incompressible_flow {

/// All keys of a case.
const io::CaseSchema& case_schema();

struct CubeSettings {
  int count = 0, edge = 2;
  std::uint64_t seed = 1;
};

/// Stirred turbulence (Perot 2011): an acceleration of constant magnitude, its direction new after every interval,
/// drives the fluid past the cubes until `stop`; the mean flow is brought to rest until `remove`, when the cubes become
/// fluid.
struct Stirring {
  double acceleration = 0, interval = 0.3, stop = 5, remove = 7;
  std::uint64_t seed = 1;
};

struct FlowCase {
  Problem problem;  // with its cubes
  Options options;
  bool f32 = false;
  std::string start = "rest";  // and noise of this root mean square
  double noise = 0;
  std::uint64_t seed = 1;
  std::optional<Stirring> stirring;
  std::optional<Strain> strain;                 // from its beginning on the problem's; solids are gone by then
  double cfl = 0.9, largest_step = 0, end = 0;  // a largest step of 0: none
  double steady = 0;                            // the run ends where max |du/dt| <= steady max |u|; 0: never
  double history_every = 0, fields_every = 0,
         checkpoint_every = 0;  // in time; 0: of history every step, of others none
  double spectra_every = 0, profiles_every = 0, profiles_from = 0;
  std::vector<double> fields_at;  // times, besides
  Samples samples;
  std::optional<double> decay_from;  // the time from which the decay's exponent is looked for
  std::int64_t pockets = 0;          // cells of enclosed fluid that became solid
  /// Every setting that the flow depends on, by its key, as text: what must be alike for a run to be resumed.
  std::map<std::string, std::string> settings;
};

/// Throws io::InputError: input.case.syntax for what is not TOML, input.case.schema, input.case.key for a key that is
/// not known, and input.case.value for a value that cannot be, each at its place.
/// `file` is the name in messages, `text` what it says.
FlowCase read_case(const std::string& file, const std::string& text);

/// The flow that the case begins with.
State<double> beginning(const FlowCase& flow);

}  // namespace speedwell::incompressible_flow

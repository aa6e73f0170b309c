// Cases of `speedwell solve`: TOML with `schema = 1`; case_keys.cpp has the keys. Unknown keys are errors.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/apps/incompressible_flow/statistics/energy_spectrum.hpp"
#include "speedwell/apps/incompressible_flow/statistics/samples.hpp"
#include "speedwell/io/cases/case_keys.hpp"

namespace speedwell::incompressible_flow {

/// All keys of a case.
const io::CaseSchema& case_schema();

struct CubeSettings {
  int count = 0, edge = 2;
  std::uint64_t seed = 1;
};

/// Stirred turbulence (Perot 2011): an acceleration of constant magnitude, with a new direction after every interval,
/// drives the fluid past the cubes until `stop`; the mean flow is brought to rest until `remove`, when the cubes become
/// fluid.
struct Stirring {
  double acceleration = 0, interval = 0.3, stop = 5, remove = 7;
  std::uint64_t seed = 1;
};

/// A random flow with a given energy spectrum. Its phases are random; where `skewness` is below 0 the flow is advanced
/// until the mean skewness of its velocity derivatives is at most that, and scaled back to the spectrum, `developments`
/// times, before time 0.
struct StartSpectrum {
  SpectrumTable table;
  double skewness = 0;
  int developments = 0;
};

struct FlowCase {
  Problem problem;  // with its cubes
  Options options;
  bool f32 = false;
  std::string start = "rest";  // root mean square of the added noise
  double noise = 0;
  std::uint64_t seed = 1;
  std::optional<StartSpectrum> spectrum;
  std::optional<Stirring> stirring;
  std::optional<Strain> strain;  // becomes the problem's at its beginning, after the removal of the solids
  double cfl = 0.9, largest_step = 0, end = 0;  // a largest step of 0: none
  double steady = 0;                            // the run ends when max |du/dt| <= steady max |u|; 0: never
  double history_every = 0, fields_every = 0,
         checkpoint_every = 0;  // intervals of time; 0: every step for the history, never for the others
  double spectra_every = 0, profiles_every = 0, profiles_from = 0;
  std::vector<double> fields_at, spectra_at;  // additional times
  Samples samples;
  std::optional<double> decay_from;  // the time from which decay.csv has the exponent
  std::int64_t pockets = 0;          // cells of enclosed fluid that became solid
  /// Every setting that the flow depends on, by its key, as text. A run can be resumed only if they are equal.
  std::map<std::string, std::string> settings;
};

/// Throws io::InputError: input.case.syntax for text that is not TOML, input.case.schema, input.case.key for an unknown
/// key, and input.case.value for a value that is not allowed, each with line and column. `file` is the name in
/// messages, `text` the contents.
FlowCase read_case(const std::string& file, const std::string& text);

/// Whether spectra are written.
inline bool has_spectra(const FlowCase& flow) { return flow.spectra_every > 0 || !flow.spectra_at.empty(); }

/// The initial state of the run; of a spectrum that of random phases.
State<double> initial_state(const FlowCase& flow);

}  // namespace speedwell::incompressible_flow

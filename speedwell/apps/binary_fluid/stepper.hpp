// Stepper: a binary fluid advanced on all cores or on a GPU.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "speedwell/apps/binary_fluid/problem.hpp"
#include "speedwell/apps/binary_fluid/statistics.hpp"
#include "speedwell/apps/binary_fluid/verify/verify.hpp"

namespace speedwell::binary_fluid {

/// The result has the same bits however steps are divided among calls of run().
class Stepper {
 public:
  virtual ~Stepper() = default;
  /// Sets the present state, and saves it as save() does.
  virtual void set(const State& state) = 0;
  virtual void run(int steps) = 0;
  virtual Statistics statistics() = 0;
  virtual Fields fields() = 0;
  virtual void get(State& state) = 0;
  /// Saves the present state as the one that restore() restores.
  virtual void save() = 0;
  virtual void restore() = 0;
};

std::unique_ptr<Stepper> stepper_on_cores(const Problem& problem, Precision precision, int threads);
/// Why no GPU is available; nothing if one is.
std::optional<std::string> lacks_gpu();
/// Throws core::Unavailable without a GPU, or with one whose memory is too small.
std::unique_ptr<Stepper> stepper_on_gpu(const Problem& problem, Precision precision);

/// The first site and step at which the state is not finite, within `max_steps` from the state that restore() restores.
/// Leaves the stepper at that state.
struct Failure {
  std::int64_t step = 0, site = -1;
};
Failure find_failure(Stepper& stepper, int max_steps);

}  // namespace speedwell::binary_fluid

// A binary fluid advanced by whatever there is: all cores, or a GPU.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "speedwell/apps/binary_fluid/problem.hpp"
#include "speedwell/apps/binary_fluid/statistics.hpp"
#include "speedwell/apps/binary_fluid/verify.hpp"

namespace speedwell::binary_fluid {

/// However steps are divided among calls of run(), the bits are the same.
class Stepper {
 public:
  virtual ~Stepper() = default;
  /// The present state, which is kept, too.
  virtual void set(const State& state) = 0;
  virtual void run(int steps) = 0;
  virtual Statistics statistics() = 0;
  virtual Fields fields() = 0;
  virtual void get(State& state) = 0;
  /// The present state is the one that back() returns to.
  virtual void keep() = 0;
  virtual void back() = 0;
};

std::unique_ptr<Stepper> stepper_on_cores(const Problem& problem, Precision precision, int threads);
/// Why there is no GPU to step on; nothing if there is one.
std::optional<std::string> lacks_gpu();
/// Throws core::Unavailable without a GPU, or with one whose memory is too small.
std::unique_ptr<Stepper> stepper_on_gpu(const Problem& problem, Precision precision);

/// The first site, and the step, at which a state that back() returns to stops being finite, within `max_steps`; the
/// stepper is then back at that state.
struct Failure {
  std::int64_t step = 0, site = -1;
};
Failure find_failure(Stepper& stepper, int max_steps);

}  // namespace speedwell::binary_fluid

// The study's port to a GPU: only the collision is on the GPU, optimised in six steps (ladder.hpp).
#pragma once

#include "speedwell/apps/binary_fluid/ladder.hpp"
#include "speedwell/apps/binary_fluid/problem.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/core/pimpl.hpp"

namespace speedwell::binary_fluid {

/// Takes time steps of one variant of the study's ladder. The populations are copied to the device and back in each.
class StudySolver {
 public:
  /// Allocates all memory, on the host and on the current device. Throws std::invalid_argument for Precision::mixed and
  /// for a problem that unsupported_reason(Method::study) names.
  StudySolver(const Problem& problem, const Study& study, Precision precision, int threads);

  /// Starts from a state, which has the problem's extents.
  void set(const State& state);
  /// Takes `steps` time steps; the host takes part in each of them.
  void run(int steps, const core::Stream& stream);
  /// Overwrites `state` with the present one.
  void get(State& state) const;

  /// Seconds of all steps since set(): kernels, transfers and work on the host.
  struct Seconds {
    double kernels = 0, transfers = 0, host = 0;
  };
  const Seconds& seconds() const;

 private:
  class Port;
  template <class S>
  class PortIn;
  core::Pimpl<Port> port_;
};

}  // namespace speedwell::binary_fluid

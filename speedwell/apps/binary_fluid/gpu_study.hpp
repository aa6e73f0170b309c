// The study's port to a GPU: the collision alone, and what was done to it in six steps (ladder.hpp).
#pragma once

#include <memory>

#include "speedwell/apps/binary_fluid/ladder.hpp"
#include "speedwell/apps/binary_fluid/problem.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::binary_fluid {

class StudySolver {
 public:
  /// Takes all memory, on the host and on the current device. Precision::mixed is std::invalid_argument, as is a
  /// problem that unsupported_reason(Method::study) names.
  StudySolver(const Problem& problem, const Study& study, Precision precision, int threads);
  StudySolver(StudySolver&&) noexcept;
  StudySolver& operator=(StudySolver&&) noexcept;
  ~StudySolver();

  void set(const State& state);
  /// The host is in the loop: it waits for every step.
  void run(int steps, const core::Stream& stream);
  void get(State& state) const;

  /// Of all steps since set(), in seconds: kernels, transfers and what the host did.
  struct Seconds {
    double kernels = 0, transfers = 0, host = 0;
  };
  const Seconds& seconds() const;

 private:
  class Port;
  template <class S>
  class PortIn;
  std::unique_ptr<Port> port_;
};

}  // namespace speedwell::binary_fluid

// Stepper: a blast wave advanced on all cores or on a GPU.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "speedwell/apps/blast_wave/problem.hpp"

namespace speedwell::blast_wave {

class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual void set(const State& state) = 0;
  /// Takes `steps` time steps, or as many as succeed; after a failure `state` is that before the failed step.
  virtual History run(int steps, State& state) = 0;
};

std::unique_ptr<Stepper> stepper_on_cores(const Problem& problem, int threads);
/// Why no GPU is available; nothing if one is.
std::optional<std::string> lacks_gpu();
/// run() takes at most `max_steps`. Throws core::Unavailable without a GPU.
std::unique_ptr<Stepper> stepper_on_gpu(const Problem& problem, int max_steps);

}  // namespace speedwell::blast_wave

// Conjugate gradients as the study's code has them: a kernel for each line of the method, and a host that waits for
// every sum. Steps on the way to GpuCg. Included by CUDA sources alone.
#pragma once

#include <memory>
#include <string_view>

#include "speedwell/apps/stencil/gpu_stencil.hpp"
#include "speedwell/apps/stencil/ladder.hpp"

namespace speedwell::stencil {

template <class T>
class SteppedCg {
 public:
  /// Takes four fields. Throws std::invalid_argument as require_solvable() and for a preconditioner, std::logic_error
  /// for another step.
  SteppedCg(const Operator<T>& a, const CgOptions& options, std::string_view step, const core::Stream& stream);
  SteppedCg(SteppedCg&&) noexcept;
  ~SteppedCg();

  /// Solves A x = b from the guess in x; returns when it is done. b, x: grid.size() values in device memory.
  void run(const T* b, T* x, const core::Stream& stream);
  CgResult result() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace speedwell::stencil

// Conjugate gradients as in the study's code: a kernel per line of the method, and a host that waits for every sum.
// Steps that lead to GpuCg. Included by CUDA sources only.
#pragma once

#include <memory>
#include <string_view>

#include "speedwell/apps/stencil/gpu_stencil.hpp"

namespace speedwell::cg {

template <class T>
class SteppedCg {
 public:
  /// Allocates four fields. Throws std::invalid_argument as require_solvable() and for a preconditioner, and
  /// std::logic_error for an unknown step.
  SteppedCg(const stencil::Operator<T>& a, const stencil::CgOptions& options, std::string_view step,
            const core::Stream& stream);
  SteppedCg(SteppedCg&&) noexcept;
  ~SteppedCg();

  /// Solves A x = b from the initial guess in x; returns after completion. b and x have grid.size() values in device
  /// memory.
  void run(const T* b, T* x, const core::Stream& stream);
  stencil::CgResult result() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace speedwell::cg

// The direct pressure solver on a GPU for boxes with stretched meshes along two or three axes: eigenvectors along the
// first two axes, tridiagonal systems along the third. For CUDA sources only.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::incompressible_flow::gpu {

/// Why Modes is not available: cuBLAS is missing. Nothing if it is available.
std::optional<std::string> modes_missing();

template <class T>
class Modes {
 public:
  /// The problem's axes must be in the order of the choice; its solids are ignored. Computes the eigenvectors on the
  /// host, in some nx^3 + ny^3 operations, and allocates its memory. Throws core::Unavailable without cuBLAS.
  Modes(const Problem& problem, const core::Stream& stream);
  Modes(Modes&&) noexcept;
  Modes& operator=(Modes&&) = delete;
  ~Modes();

  /// Enqueues the solution `out`, determined up to a constant, of the right-hand sides `in`, both in the order of
  /// spectral_index(); can be recorded in a graph. They may be the same; otherwise `in` is not changed. Takes 4 (nx +
  /// ny) operations per cell, in matrix products.
  void solve(const T* in, T* out, const core::Stream& stream);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

extern template class Modes<float>;
extern template class Modes<double>;

}  // namespace speedwell::incompressible_flow::gpu

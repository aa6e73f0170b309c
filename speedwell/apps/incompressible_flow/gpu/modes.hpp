// The direct pressure solver on a GPU for boxes whose cells are stretched along two or three axes: eigenvectors along
// the first two axes, tridiagonal systems along the third. Included by CUDA sources alone.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::incompressible_flow::gpu {

/// Why Modes cannot be had here: cuBLAS is missing. Nothing when it can.
std::optional<std::string> modes_missing();

template <class T>
class Modes {
 public:
  /// Of the box without solids, whose axes are in the order of the choice. Finds the eigenvectors on the host, in some
  /// nx^3 + ny^3 operations, and takes its memory. Throws core::Unavailable without cuBLAS.
  Modes(const Problem& problem, const core::Stream& stream);
  Modes(Modes&&) noexcept;
  Modes& operator=(Modes&&) = delete;
  ~Modes();

  /// Enqueues, also while a graph is recorded: out becomes the pressure of the right-hand sides `in`, both in the order
  /// of spectral_place(), with some constant in it. They may be the same; if not, in is kept. 4 (nx + ny) operations
  /// for each cell, in products of matrices.
  void solve(const T* in, T* out, const core::Stream& stream);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

extern template class Modes<float>;
extern template class Modes<double>;

}  // namespace speedwell::incompressible_flow::gpu

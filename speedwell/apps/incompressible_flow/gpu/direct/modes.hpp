// The direct pressure solver on a GPU for boxes with stretched meshes along two or three axes: eigenvectors along the
// first two axes, tridiagonal systems along the third. For CUDA sources only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/apps/incompressible_flow/gpu/direct/lines.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::incompressible_flow::gpu {

/// Why eigenvectors are not available: cuBLAS is missing. Nothing if they are.
std::optional<std::string> modes_missing();

/// The first two axes: products of planes with matrices of eigenvectors. Two adjacent modes of a row are a complex
/// number of the spectrum of lines.hpp (Lines::pairs_of_modes), and rows end with padding modes.
template <class T>
class ModeProducts {
 public:
  /// The problem's axes must be in the order of the choice; its solids are ignored. Computes the eigenvectors on the
  /// host, in some nx^3 + ny^3 operations, and allocates memory for `planes` planes. Throws core::Unavailable without
  /// cuBLAS.
  ModeProducts(const Problem& problem, int planes, const core::Stream& stream);
  ModeProducts(ModeProducts&&) noexcept;
  ModeProducts& operator=(ModeProducts&&) = delete;
  ~ModeProducts();

  /// In device memory: nx / 2 + 1 complex numbers a row.
  T* modes();
  /// The eigenvalues of the modes of a row, with its padding, and of the rows.
  std::vector<T> row_eigenvalues() const;
  const std::vector<T>& column_eigenvalues() const;

  /// Enqueue the products for `planes` planes, in the order of spectral_index(), to the modes and from them; can be
  /// recorded in a graph. Each takes 2 (nx + ny) operations per cell.
  void to_modes(const T* in, int planes, const core::Stream& stream);
  void from_modes(T* out, int planes, const core::Stream& stream);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The solver of a box on one GPU.
template <class T>
class Modes {
 public:
  /// As ModeProducts.
  Modes(const Problem& problem, const core::Stream& stream);

  /// Enqueues the solution `out`, determined up to a constant, of the right-hand sides `in`, both in the order of
  /// spectral_index(); can be recorded in a graph. They may be the same; otherwise `in` is not changed.
  void solve(const T* in, T* out, const core::Stream& stream);

 private:
  int planes_;
  ModeProducts<T> products_;
  core::DeviceBuffer<T> work_, lambda_x_, lambda_y_, low_, high_;
  Lines<T> lines_;
};

extern template class ModeProducts<float>;
extern template class ModeProducts<double>;
extern template class Modes<float>;
extern template class Modes<double>;

}  // namespace speedwell::incompressible_flow::gpu

// The batched tridiagonal systems along z of all modes of the planes' transforms. For CUDA sources only.
#pragma once

#include <cstdint>

#include "speedwell/core/cuda.hpp"

namespace speedwell::incompressible_flow::gpu {

template <class T>
struct ComplexOf {
  T re, im;
};

template <class T>
struct Lines {
  int nx = 0, ny = 0, nz = 0;
  bool cosine_x = false, cosine_y = false;
  bool pairs_of_modes = false;  // the parts of a complex number are two modes with different eigenvalues
  bool periodic_z = false;
  T scale = 1;                              // factor of right-hand sides: transforms are not normalised
  const T *low = nullptr, *high = nullptr;  // coefficients of the cells before and after
  const T* lambda_x = nullptr;              // 2 (nx / 2 + 1), for both parts of a complex number, as in spectrum.hpp
  const T* lambda_y = nullptr;              // ny
  const ComplexOf<T>*twiddles_x = nullptr, *twiddles_y = nullptr;  // twiddle factors of cosine transforms
  ComplexOf<T>* spectrum = nullptr;  // nz planes of ny rows of nx / 2 + 1, overwritten by solutions
  T* work = nullptr;                 // line_work() numbers
  bool by_warps = true;

  int modes() const { return nx / 2 + 1; }
};
/// The number of elements of the workspace.
template <class T>
std::int64_t line_work(const Lines<T>& lines);

/// Enqueues the solution of all systems: by warps if supported, otherwise by threads.
template <class T>
void enqueue(const Lines<T>& lines, const core::Stream& stream);
/// Enqueues the solution in one pass over memory (warp_lines.cu). Returns false if the kernel does not support the
/// systems.
template <class T>
bool enqueue_in_warps(const Lines<T>& lines, const core::Stream& stream);

}  // namespace speedwell::incompressible_flow::gpu

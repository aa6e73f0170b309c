// The tridiagonal systems along z of all modes of planes' transforms. Included by CUDA sources alone.
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
  bool pairs_of_modes = false;  // the parts of a number are two modes with eigenvalues of their own
  bool periodic_z = false;
  T scale = 1;                              // of right-hand sides: transforms are not normalised
  const T *low = nullptr, *high = nullptr;  // coefficients of the cells before and after
  const T* lambda_x = nullptr;              // 2 (nx / 2 + 1): of both parts of a number, as in spectrum.hpp
  const T* lambda_y = nullptr;              // ny
  const ComplexOf<T>*turns_x = nullptr, *turns_y = nullptr;  // of cosines
  ComplexOf<T>* spectrum = nullptr;  // nz planes of ny rows of nx / 2 + 1, overwritten by solutions
  T* work = nullptr;                 // line_work() numbers
  bool by_warps = true;

  int modes() const { return nx / 2 + 1; }
};
/// Numbers of work space.
template <class T>
std::int64_t line_work(const Lines<T>& lines);

/// Enqueues the solution of all systems: by warps where they can, else by threads.
template <class T>
void enqueue(const Lines<T>& lines, const core::Stream& stream);
/// In one pass over memory (warp_lines.cu). Returns false if the kernel does not support the systems.
template <class T>
bool enqueue_in_warps(const Lines<T>& lines, const core::Stream& stream);

}  // namespace speedwell::incompressible_flow::gpu

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
  bool cosine_x = false, cosine_y = false, periodic_z = false;
  T scale = 1;                              // of right-hand sides: transforms are not normalised
  const T *low = nullptr, *high = nullptr;  // coefficients of the cells before and after
  const T* lambda_x = nullptr;              // 2 (nx / 2 + 1), as in spectrum.hpp
  const T* lambda_y = nullptr;              // ny
  const ComplexOf<T>*turns_x = nullptr, *turns_y = nullptr;
  ComplexOf<T>* spectrum = nullptr;  // nz planes of ny rows of nx / 2 + 1, overwritten by solutions
  T* work = nullptr;                 // line_work() numbers
  bool by_warps = true;

  int modes() const { return nx / 2 + 1; }
};
/// Numbers of work space.
std::int64_t line_work(int nx, int ny, int nz, bool cosine_x, bool cosine_y, bool periodic_z);

/// Enqueues the solution of all systems: by warps where they can, else by threads.
template <class T>
void enqueue(const Lines<T>& lines, const core::Stream& stream);
/// In one way through memory (warp_lines.cu). False if it cannot.
template <class T>
bool enqueue_in_warps(const Lines<T>& lines, const core::Stream& stream);

}  // namespace speedwell::incompressible_flow::gpu

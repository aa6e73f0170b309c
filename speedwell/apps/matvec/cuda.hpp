// The product in device memory, for CUDA sources only; gpu_solver.hpp adds buffers and copies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "speedwell/core/cuda.hpp"

namespace speedwell::matvec {

/// The operands of every GPU variant. All pointers are to device memory.
template <class T>
struct Operands {
  const T* a = nullptr;  // element (i, j) is a[i * leading + j], or a[j * leading + i] for the steps on the transpose
  std::int64_t leading = 0;  // elements
  const T* b = nullptr;      // columns
  T* c = nullptr;            // rows, overwritten
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  T* partial = nullptr;     // partial_elements(), overwritten; used by multiply() only
  int multiprocessors = 0;  // of the device
  int block_threads = 0;    // of the ladder's steps; 0: ladder_block()
};

/// Enqueues c = A b on `stream`. Every GPU variant is one function of this type. Operands are not checked here, except
/// for what a variant does not support. Throws core::DeviceError if the launch fails.
template <class T>
using Multiply = void(const Operands<T>& p, const core::Stream& stream);

/// The best variant for any shape. Depending on the shape, a row is processed by a few lanes, a warp or a block, or
/// divided into pieces whose sums are added in a second pass; rows that are not aligned to 16 bytes are read element by
/// element. The bits depend only on the shape, the alignment and the number of multiprocessors.
template <class T>
void multiply(const Operands<T>& p, const core::Stream& stream);

/// A description of the kernel that multiply() chooses for these operands.
template <class T>
std::string describe(const Operands<T>& p);

/// The number of elements of Operands::partial: 0 for most shapes, some ten thousand for a few long rows.
template <class T>
std::int64_t partial_elements(std::int64_t rows, std::int64_t columns, int multiprocessors);

/// The function of the row of this name in ladder.hpp. Throws std::logic_error for another name. Steps with all of B in
/// shared memory throw std::invalid_argument for more columns than it holds. Steps with B in constant memory share that
/// of the device: two of them must not run at the same time.
template <class T>
Multiply<T>* function_of(std::string_view step);

/// Threads per block of the ladder's steps where nothing else is asked for.
int ladder_block(std::int64_t rows, int multiprocessors);
/// The largest block of the steps with few registers.
inline constexpr int capped_threads = 256;
/// Threads per block of a step for these operands, and those of one with few registers.
template <class T>
int block_of(const Operands<T>& p) {
  return p.block_threads > 0 ? p.block_threads : ladder_block(p.rows, p.multiprocessors);
}
template <class T>
int capped_block_of(const Operands<T>& p) {
  return block_of(p) < capped_threads ? block_of(p) : capped_threads;
}

/// Writes to[j * to_leading + i] = from[i * columns + j] for a rows x columns matrix without gaps.
template <class T>
void transpose(const T* from, std::int64_t rows, std::int64_t columns, T* to, std::int64_t to_leading,
               const core::Stream& stream);

}  // namespace speedwell::matvec

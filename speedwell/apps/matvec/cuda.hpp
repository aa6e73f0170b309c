// The product in device memory. Included by CUDA sources alone; gpu_solver.hpp puts the buffers and copies around it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "speedwell/core/cuda.hpp"

namespace speedwell::matvec {

/// What every GPU variant is given. All pointers are to device memory.
template <class T>
struct Operands {
  const T* a = nullptr;  // element (i, j) is a[i * leading + j], or a[j * leading + i] for the steps on the transpose
  std::int64_t leading = 0;  // elements
  const T* b = nullptr;      // columns
  T* c = nullptr;            // rows, overwritten
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  T* partial = nullptr;     // partial_elements(), overwritten; multiply() alone uses them
  int multiprocessors = 0;  // of the device
};

/// Enqueues c = A b on `stream`. Every GPU variant is one function of this type. The operands must be right: nothing is
/// checked here but what a variant cannot do. Throws core::DeviceError if the launch fails.
template <class T>
using Multiply = void(const Operands<T>& p, const core::Stream& stream);

/// The product as a user wants it. A row goes to a few lanes, a warp or a block, or is cut into pieces whose sums are
/// added in a second pass, whichever the shape asks for; rows that do not lie on 16 bytes are read element by element.
/// The bits depend on the shape, the alignment and the number of multiprocessors, and on nothing else.
template <class T>
void multiply(const Operands<T>& p, const core::Stream& stream);

/// What multiply() chooses for these operands, in words.
template <class T>
std::string describe(const Operands<T>& p);

/// Elements of Operands::partial: 0 for most shapes, some ten thousand for a few long rows.
template <class T>
std::int64_t partial_elements(std::int64_t rows, std::int64_t columns, int multiprocessors);

/// The function of the row of this name in ladder.hpp. Throws std::logic_error for another name. Those with all of B in
/// shared memory throw std::invalid_argument for more columns than it holds. Those with B in constant memory use the
/// one that a device has: two of them must not run on it at the same time.
template <class T>
Multiply<T>* function_of(std::string_view step);

/// Threads in a block of the ladder's steps.
int ladder_block(std::int64_t rows, int multiprocessors);

/// Writes to[j * to_leading + i] = from[i * columns + j] for a rows x columns matrix without gaps.
template <class T>
void transpose(const T* from, std::int64_t rows, std::int64_t columns, T* to, std::int64_t to_leading,
               const core::Stream& stream);

}  // namespace speedwell::matvec

// GpuSolver: matrix-vector products on a GPU, with buffers, upload and download for all variants.
//   GpuSolver<float> solver(rows, columns);   // allocates
//   solver.upload(a, b, stream);  solver.run(stream);  solver.download(c, stream);
// To multiply the same matrix again, upload only another b with upload_vector(). Included by CUDA sources only.
#pragma once

#include <cstdint>
#include <span>

#include "speedwell/apps/matvec/cuda.hpp"
#include "speedwell/apps/matvec/ladder.hpp"
#include "speedwell/apps/matvec/matvec.hpp"
#include "speedwell/core/pimpl.hpp"

namespace speedwell::matvec {

/// Products c = A b of one matrix of N rows and M columns with any number of vectors, in T, which is float or double.
/// Every element of c has the error bound of multiply() in matvec.hpp; its bits depend only on the shape and the number
/// of multiprocessors.
///
/// An object belongs to the device that is current at its construction, and owns its memory there until it is
/// destroyed. One stream at a time may use it. All functions throw core::DeviceError if CUDA fails.
template <class T>
class GpuSolver {
 public:
  /// Allocates A in the given layout, b, c and work space on the current device: device_bytes() of ladder.hpp. The
  /// contents are undefined. The shape must have passed require_product() or require_problem(). Throws
  /// core::DeviceError if there is no device, or too little memory.
  GpuSolver(std::int64_t rows, std::int64_t columns, Layout layout = Layout::dense);

  /// Threads in a block of the variants with a thread for each row: 1 to 1024, or 0, which is what an object begins
  /// with, for as many as the number of rows suggests. Throws std::invalid_argument for other numbers.
  void set_block_threads(int threads);

  /// Copies A, N x M, and b, M elements, to the device, and waits. A transposed layout is made there, a slab at a time.
  void upload(const Matrix<T>& a, std::span<const T> b, const core::Stream& stream);
  /// Copies another b, M elements, and waits.
  void upload_vector(std::span<const T> b, const core::Stream& stream);
  /// Enqueues c = A b by the best variant, without waiting. Throws std::invalid_argument for Layout::transposed.
  void run(const core::Stream& stream);
  /// The same by any variant of this layout: a function of ladder.hpp's table, see function_of() in cuda.hpp. Throws
  /// std::invalid_argument for a shape that the variant does not support.
  void run_variant(Multiply<T>* function, const core::Stream& stream);
  /// Copies c, N elements, to the host, and waits.
  void download(std::span<T> c, const core::Stream& stream) const;

  /// b in device memory: M elements that run() reads. They may be written there instead of being uploaded.
  std::span<T> device_vector();
  /// c in device memory: N elements that run() overwrites, complete when its stream has reached its end.
  std::span<T> device_result();
  /// All operands in device memory, as the functions of cuda.hpp take them.
  const Operands<T>& operands() const;
  /// Seconds of the transposition of A on the device in the last upload(); 0 in other layouts.
  double transpose_seconds() const;

 private:
  struct State;  // gpu_solver.cu
  core::Pimpl<State> state_;
};

extern template class GpuSolver<float>;
extern template class GpuSolver<double>;

}  // namespace speedwell::matvec

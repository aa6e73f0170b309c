// GpuSolver: two-stream radiation on a GPU, with buffers, upload and download for all variants.
//   GpuSolver<double> solver(atmosphere, options);   // allocates
//   solver.upload(atmosphere, stream);  solver.run(stream);  solver.download(fluxes, stream);
// The atmosphere is in host memory and must have passed require_atmosphere(); upload() accepts others of the same
// shape. For data on the device call columns_fused() of cuda.hpp instead. Included by CUDA sources only.
#pragma once

#include <span>
#include <vector>

#include "speedwell/apps/two_stream/cuda.hpp"
#include "speedwell/core/pimpl.hpp"

namespace speedwell::two_stream {

/// What the solver computes, and how.
enum class Method {
  fused,               // broadband fluxes, in one pass over memory
  separate,            // broadband fluxes, in three passes; without clouds
  coefficients,        // coefficients of every layer, with threads along the columns
  coefficients_study,  // the same with the 2009 study's blocks along the layers
};

/// Two-stream radiation in T, which is float or double; the equations and their sources are those of two_stream.hpp.
/// The bits of a result do not depend on the device.
///
/// An object belongs to the device that is current at its construction, and owns its memory there until it is
/// destroyed. One stream at a time may use it. All functions throw core::DeviceError if CUDA fails.
template <class T>
class GpuSolver {
 public:
  /// Allocates memory on the current device for the arrays that the atmosphere has and the method reads, the results
  /// and scratch memory. Of `shape` the extents, the source, cloud_top and which pointers are null are used; its arrays
  /// are not read. Options::threads has no meaning here. Throws core::DeviceError if there is no device, or too little
  /// memory, and std::invalid_argument for clouds with Method::separate.
  GpuSolver(const Atmosphere<T>& shape, const Options& options, Method method = Method::fused);

  /// Copies every array of `from`, which must have the shape and the arrays of that of the constructor, to the device,
  /// and waits. Throws std::invalid_argument for clouds that begin in another layer: the scratch memory depends on it.
  void upload(const Atmosphere<T>& from, const core::Stream& stream);
  /// The same without waiting: the arrays must not change or be freed before the stream has copied them.
  void upload_async(const Atmosphere<T>& from, const core::Stream& stream);
  /// Enqueues the computation from the uploaded atmosphere, without waiting; it may be repeated.
  void run(const core::Stream& stream);
  /// Copies the fluxes to the host, and waits; for Method::fused and Method::separate. Each array has (layers + 1)
  /// columns elements, [level][column]; one with a null pointer is not copied.
  void download(const Fluxes<T>& to, const core::Stream& stream);
  /// Copies the coefficients to the host, and waits; for the other methods. Each array has points layers columns
  /// elements, [g][layer][column]; one with a null pointer is not copied.
  void download(const Coefficients<T>& to, const core::Stream& stream);
  /// The same without waiting.
  void download_coefficients_async(const Coefficients<T>& to, const core::Stream& stream);

  /// The results in device memory, of the shapes that download() copies; `direct` is null without a sun. They are
  /// complete when the stream of run() has reached its end.
  Fluxes<T> device_fluxes();
  Coefficients<T> device_coefficients();
  /// All device memory that run() overwrites: each array of the results, and the scratch memory. What it holds before
  /// run() has no influence.
  std::vector<std::span<T>> device_work();

 private:
  struct State;  // gpu/gpu_solver.cu
  core::Pimpl<State> state_;
};

extern template class GpuSolver<float>;
extern template class GpuSolver<double>;

}  // namespace speedwell::two_stream

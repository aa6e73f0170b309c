// The 7-point operator and conjugate gradients on several GPUs, one per rank, each with a slab of planes along z. The
// first rank distributes and collects whole fields. Included by CUDA sources only.
//   DistributedGpuOperator<double> a(ranks, {form, boundary, grid}, comm::Transport::peer);
//   a.set(rank == 0 ? &whole : nullptr, stream);   a.scatter(rank == 0 ? x : nullptr, x_field, stream);
//   a.multiply(x_field, y_field, stream);           a.gather(y_field, rank == 0 ? y : nullptr, stream);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "speedwell/apps/stencil/distributed.hpp"
#include "speedwell/apps/stencil/gpu_stencil.hpp"
#include "speedwell/comm/gpu/transport.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::stencil {

/// The functions are collective but for those that return what is known; all ranks give the same shape. A field is
/// size() values in device memory: the slab with its halo along z, if there are several ranks, x contiguous. The halo
/// beyond an end of a box that is not periodic is 0, as make_field() leaves it. An object belongs to the device that is
/// current at its construction; one stream at a time may use it.
template <class T>
class DistributedGpuOperator {
 public:
  /// `depth` planes are kept of each neighbour: sweep() makes as many sweeps for an exchange. `ranks` must outlive the
  /// object. Throws std::invalid_argument as DistributedOperator, for example for a slab thinner than its halo, and
  /// core::Unavailable if the transport is missing.
  DistributedGpuOperator(const comm::Communicator& ranks, const DistributedShape& shape, comm::Transport transport,
                         int depth = 1);
  ~DistributedGpuOperator();
  DistributedGpuOperator(DistributedGpuOperator&&) noexcept;
  DistributedGpuOperator& operator=(DistributedGpuOperator&&) = delete;

  /// Distributes the coefficients of `whole`, an operator of the shape, from rank 0; waits. Throws as
  /// DistributedOperator::set() and DeviceOperator.
  void set(const Operator<T>* whole, const core::Stream& stream);

  const comm::Communicator& ranks() const;
  /// The division and the layout of a field, on the host.
  const DistributedOperator<T>& host() const;
  /// The operator of the slab with its halo; coefficients in device memory.
  const Operator<T>& local_operator() const;
  /// The slab's planes in a field.
  Planes own_planes() const;
  std::int64_t size() const { return host().size(); }
  /// A field of zeros.
  core::DeviceBuffer<T> make_field() const;
  /// `whole` is host memory of rank 0, and not read on the others; waits.
  void scatter(const T* whole, T* field, const core::Stream& stream) const;
  /// `whole` is host memory of rank 0, and not written on the others; waits.
  void gather(const T* field, T* whole, const core::Stream& stream) const;

  /// Enqueues an exchange of the halo of a field.
  void fill_halo(T* field, const core::Stream& stream);
  /// Enqueues y = A x. The planes that read no halo are computed while it travels, and the others beside them, as soon
  /// as it is there; that of y keeps its values. The values are bitwise those of gpu_multiply() on one GPU.
  void multiply(T* x, T* y, const core::Stream& stream);
  /// The same without overlap: the exchange is complete before the first cell is computed.
  void exchange_and_multiply(T* x, T* y, const core::Stream& stream);
  /// Enqueues y = A^sweeps x for form E0 on a periodic box, with an exchange after every `depth` sweeps. All three
  /// fields are overwritten. Bitwise GpuSweeps of the same depth if no product is rounded, and otherwise to within
  /// rounding. Throws std::invalid_argument for another form or boundary, for sweeps < 1 and for a depth above
  /// GpuSweeps<T>::max_depth.
  void sweep(T* x, T* y, T* scratch, int sweeps, const core::Stream& stream);

  /// The time that the stream waited for halos after its own work: communication that was not hidden. Of one operation
  /// in eight, which stands for them.
  double exchange_seconds() const;
  /// Waits for `stream`. Throws core::DeviceError if a neighbour did not come.
  void check(const core::Stream& stream) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Conjugate gradients for a DistributedGpuOperator, in the passes of GpuCg. No pass waits for an exchange: the kernel
/// that computes a field stores its outer planes into the memory of the neighbours, and the sum over the ranks that
/// ends the kernel tells that they have arrived. Two messages of 32 bytes an iteration between two GPUs besides the
/// planes.
template <class T>
class DistributedGpuCg {
 public:
  /// Collective. Allocates the work vectors in memory that the ranks share. `a` has its coefficients and must outlive
  /// the object; what they must satisfy, require_solvable(), is checked where the whole operator is. Throws
  /// std::invalid_argument for options as DistributedCg, for a diagonal that is not positive, and for a tolerance or
  /// omega out of range; core::Unavailable if the GPUs cannot reach each other's memory or there are too many.
  DistributedGpuCg(DistributedGpuOperator<T>& a, const CgOptions& options, const core::Stream& stream);
  ~DistributedGpuCg();
  DistributedGpuCg(DistributedGpuCg&&) noexcept;
  DistributedGpuCg& operator=(DistributedGpuCg&&) = delete;

  /// Collective. Enqueues the solution of A x = b from the initial guess in x, fields of `a`. The iterations are
  /// recorded as a graph for `x` and this stream, with a loop on the device.
  void run(const T* b, T* x, const core::Stream& stream);
  /// The result of the last run(), the same on every rank; waits. Throws core::DeviceError if a rank did not come.
  CgResult result(const core::Stream& stream) const;
  /// The time in sums over the ranks, in which a rank waits for what the others have to store, and in exchanges of the
  /// halo of x. Waits for the device.
  double exchange_seconds() const;
  /// As GpuCg::loop_by_host().
  void loop_by_host(bool wanted);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class DistributedGpuOperator<float>;
extern template class DistributedGpuOperator<double>;
extern template class DistributedGpuCg<float>;
extern template class DistributedGpuCg<double>;

}  // namespace speedwell::stencil

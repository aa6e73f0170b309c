// DistributedGpuGrid: a grid whose points are divided among ranks that have a GPU each, in slabs of planes along z. It
// scatters and gathers fields in device memory, and fills their halos while planes that read none are computed. Fields
// on it and expressions of them are in gpu_distributed.hpp. Included by CUDA sources only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "speedwell/apps/vector_calculus/distributed_grid.hpp"
#include "speedwell/apps/vector_calculus/gpu/plane_range.hpp"
#include "speedwell/comm/gpu/transport.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::vector_calculus {

/// All ranks construct it alike, and call the collective functions in the same order. An array of a field has
/// host().local().size() points in device memory: the planes of the slab with `depth` planes of each neighbour's, if
/// there are several ranks. An object belongs to the device that is current at its construction; one stream at a time
/// may use it.
class DistributedGpuGrid {
 public:
  /// depth: the number of nested derivatives that expressions may have. Throws as DistributedGrid, for example for a
  /// slab thinner than its halo, and core::Unavailable if the transport is missing. `ranks` must outlive the object,
  /// and this its fields.
  DistributedGpuGrid(const comm::Communicator& ranks, const Grid& grid, comm::Transport transport, int depth = 1);
  ~DistributedGpuGrid();
  DistributedGpuGrid(const DistributedGpuGrid&) = delete;
  DistributedGpuGrid& operator=(const DistributedGpuGrid&) = delete;

  const comm::Communicator& ranks() const { return host().ranks(); }
  const Grid& whole() const { return host().whole(); }
  /// The slab of this rank with its halo, as a grid.
  const Grid& local() const { return host().local(); }
  int depth() const { return host().depth(); }
  comm::Transport transport() const;
  /// The division; its arrays on the host have the layout of those in device memory.
  const DistributedGrid& host() const;
  /// The slab's own planes, as local indices.
  comm::Range own_planes() const;
  /// Local planes as kernels number them. At an end of a one-sided grid the frame ends with the slab.
  template <class T>
  device::PlaneRange<T> range_of(comm::Range planes) const;

  /// Collective. As the functions of DistributedGrid, for fields in device memory and `whole` in host memory; wait.
  template <class T>
  void scatter(const T* whole, TileField<T> field, const core::Stream& stream) const;
  template <class T>
  void gather(TileField<const T> field, T* whole, const core::Stream& stream) const;
  template <class T>
  void scatter_vector(Layout layout, const T* whole, T* field, const core::Stream& stream) const;
  template <class T>
  void gather_vector(Layout layout, const T* field, T* whole, const core::Stream& stream) const;

  /// Enqueues on a stream the computation of planes, which are local indices.
  using Compute = std::function<void(comm::Range planes, const core::Stream& stream)>;
  /// Collective. Enqueues the computation of all planes of the slab, each once, and fills the halos of `fields`. While
  /// they travel the planes are computed that read none; the others on a stream of their own, as soon as the halo is
  /// there. Work that is enqueued on `stream` afterwards finds all of it done. Throws std::invalid_argument for
  /// reach > depth().
  template <class T>
  void for_planes(std::span<const TileField<T>> fields, int reach, HaloUpdate update, const Compute& compute,
                  const core::Stream& stream);
  /// Collective. Makes what for_planes() needs for fields with as many words, which otherwise its first call does.
  template <class T>
  void prepare(std::span<const TileField<T>> fields);

  /// As DistributedGrid::combine().
  Totals combine(const Totals& own);
  /// The time that streams waited for halos after their own work, communication that was not hidden, and that of
  /// combine(). One exchange of eight is measured, and stands for them.
  double exchange_seconds() const;
  /// Waits for `stream`. Throws core::DeviceError if a neighbour did not come.
  void check(const core::Stream& stream) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace speedwell::vector_calculus

// The memory and the host's part of DistributedGpuSweep: the division of the planes along x among ranks, the faces that
// other GPUs write (comm::PeerMemory), and the copies between the arrays of rank 0 and the slabs of all ranks. The
// kernels are those of tiles.hpp.
//
// A rank's planes are stored one after the other in the order of the grid, although its groups of tiles are not
// adjacent there. A rank without planes takes part in the barriers of the sweeps and launches no tiles.
#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "speedwell/apps/wavefront/gpu/method.hpp"
#include "speedwell/apps/wavefront/gpu/tile_groups.hpp"
#include "speedwell/apps/wavefront/gpu_distributed.hpp"
#include "speedwell/apps/wavefront/ladder.hpp"
#include "speedwell/comm/gpu/device_sums.hpp"
#include "speedwell/comm/gpu/peer_memory.hpp"
#include "speedwell/core/cuda_trace.hpp"

namespace speedwell::wavefront {
namespace {

template <class T>
TilePlan checked_plan(const Extents& extents, const Recurrence<T>& recurrence, const TileOptions& options, int ranks) {
  require_valid(extents);
  require_valid(recurrence);
  if (std::max({extents.nx, extents.ny, extents.nz}) > max_gpu_extent)
    throw std::invalid_argument("on a GPU extents must not exceed 2^30");
  return plan_tiles(extents, sizeof(T), recurrence.loops > 0, options, ranks);
}

/// Resident blocks on the GPU with the fewest multiprocessors, so that all ranks compute the same division of the
/// tiles.
int blocks_of(const comm::Communicator& ranks, const TileOptions& options) {
  if (options.blocks > 0) return options.blocks;
  int device = 0, multiprocessors = 0;
  core::check(cudaGetDevice(&device));
  core::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  return static_cast<int>(ranks.reduce(std::int64_t{multiprocessors}, comm::Reduction::minimum));
}

/// The plan of a rank that has `in_x` of the tiles along x.
TilePlan part_of(TilePlan plan, std::int32_t in_x) {
  plan.in_x = in_x;
  return plan;
}

}  // namespace

template <class T>
struct DistributedGpuSweep<T>::Impl {
  Impl(const comm::Communicator& all, const Extents& extents, const Recurrence<T>& recurrence,
       const Direction& sweep_direction, const DistributedGpuOptions& options)
      : ranks(all),
        whole(extents),
        direction(sweep_direction),
        plan(checked_plan(extents, recurrence, options.tiles, all.size())),
        groups(divide_tiles(plan, all.size(), blocks_of(all, options.tiles), options.group)),
        sums(all),
        sum(1),
        waited(1) {
    const int rank = ranks.rank(), next = (rank + 1) % ranks.size();
    const TilePlan own = part_of(plan, groups.tiles_of(rank));
    faces = comm::PeerMemory(ranks, sizeof(T) * west_cells(own));
    face_values = west_cells(own);
    const Extents part = {planes_on(rank), whole.ny, whole.nz};
    cells = buffer(part.nx * part.ny * part.nz);
    top = buffer(part.nx * part.ny);
    north = buffer(part.nx * part.nz);
    west = buffer(part.ny * part.nz);
    const core::Stream stream;
    core::fill_bytes_async(sum, 0, stream);
    core::fill_bytes_async(waited, 0, stream);
    stream.synchronize();
    if (part.nx > 0) {
      method = make_linked_tiles<T>(plan, whole.nz, recurrence, options.tiles,
                                    {.plan = own,
                                     .groups = groups,
                                     .gpu = rank,
                                     .west = reinterpret_cast<T*>(faces.own()),
                                     .next_west = reinterpret_cast<T*>(faces.of(next)),
                                     .waited = waited.data()});
      method->allocate(device_grid<T>(part, direction, cells.data(), top.data(), north.data(), west.data()));
    }
    // allocate() has set this rank's faces to empty: only then may the preceding GPU write values into them.
    ranks.barrier();
  }

  static core::DeviceBuffer<T> buffer(std::int64_t values) {
    return core::DeviceBuffer<T>(static_cast<std::size_t>(values));
  }
  std::int64_t planes_on(int rank) const {
    std::int64_t sum_of_planes = 0;
    for (const comm::Range& range : planes_of(groups, rank, plan.planes, whole.nx)) sum_of_planes += range.size();
    return sum_of_planes;
  }
  /// Calls move(first plane in the grid, first plane in the rank's memory, number of planes) for each range of a rank's
  /// planes. Planes are numbered along x as they are in memory, also if the sweep runs against that order.
  template <class Move>
  void each_range(int rank, const Move& move) const {
    const std::int64_t own = planes_on(rank);
    std::int64_t before = 0;
    for (const comm::Range& range : planes_of(groups, rank, plan.planes, whole.nx)) {
      const std::int64_t end = before + range.size();
      direction.down_x ? move(whole.nx - range.end, own - end, range.size()) : move(range.begin, before, range.size());
      before = end;
    }
  }
  /// Collective: copies every rank's planes, of `of_plane` values each, from an array of rank 0 in host memory to `to`
  /// in the rank's device memory, and waits. `from` is read on rank 0 only.
  void scatter_planes(const core::HostBuffer<T>* from, std::int64_t of_plane, core::DeviceBuffer<T>& to,
                      const core::Stream& stream) const {
    const auto span = [&](auto* values, std::int64_t first, std::int64_t count) {
      return std::span(values + first * of_plane, static_cast<std::size_t>(count * of_plane));
    };
    if (ranks.rank() == 0) {
      for (int r = 1; r < ranks.size(); ++r)
        each_range(r, [&](std::int64_t first, std::int64_t, std::int64_t count) {
          ranks.send(span(static_cast<const T*>(from->data()), first, count), r);
        });
      each_range(0, [&](std::int64_t first, std::int64_t at, std::int64_t count) {
        core::copy_async(to.data() + at * of_plane, from->data() + first * of_plane,
                         static_cast<std::size_t>(count * of_plane), stream);
      });
    } else {
      core::HostBuffer<T> received(to.size());
      each_range(ranks.rank(), [&](std::int64_t, std::int64_t at, std::int64_t count) {
        ranks.receive(span(received.data(), at, count), 0);
      });
      core::copy_async(to.data(), static_cast<const T*>(received.data()), to.size(), stream);
      stream.synchronize();
    }
    stream.synchronize();
  }

  const comm::Communicator& ranks;
  Extents whole;
  Direction direction;
  TilePlan plan;  // tiles of the whole grid
  TileGroups groups;
  comm::PeerMemory faces;  // of each rank: the faces along x of its tiles, which the preceding rank writes, too
  std::size_t face_values = 0;
  // The sum before each sweep is a barrier of the GPUs: it ends when all of them have finished the preceding sweep, in
  // which they emptied the faces that they read. Its fences order this before the stores of the next sweep.
  comm::DeviceSums sums;
  core::DeviceBuffer<double> sum;                 // operand of the barrier, always 0
  core::DeviceBuffer<unsigned long long> waited;  // nanoseconds in which the first tile waited for another GPU
  // [planes][ny][nz], [planes][ny], [planes][nz] and [ny][nz]. Only rank 0's `west` is read: the first plane of the
  // others follows one of another rank.
  core::DeviceBuffer<T> cells, top, north, west;
  std::unique_ptr<Method<T>> method;  // null if the rank has no planes
};

template <class T>
DistributedGpuSweep<T>::DistributedGpuSweep(const comm::Communicator& ranks, const Extents& whole,
                                            const Recurrence<T>& recurrence, const Direction& direction,
                                            const DistributedGpuOptions& options)
    : impl_(std::make_unique<Impl>(ranks, whole, recurrence, direction, options)) {}
template <class T>
DistributedGpuSweep<T>::~DistributedGpuSweep() = default;
template <class T>
DistributedGpuSweep<T>::DistributedGpuSweep(DistributedGpuSweep&&) noexcept = default;

template <class T>
void DistributedGpuSweep<T>::scatter(const Grid<T>* whole, const core::Stream& stream) {
  Impl& o = *impl_;
  o.scatter_planes(whole ? &whole->cells : nullptr, o.whole.ny * o.whole.nz, o.cells, stream);
  o.scatter_planes(whole ? &whole->planes.top : nullptr, o.whole.ny, o.top, stream);
  o.scatter_planes(whole ? &whole->planes.north : nullptr, o.whole.nz, o.north, stream);
  // `whole` is given on rank 0 only, which has the first planes of the sweep and hence the inflow along x.
  if (!whole) return;
  core::copy_async(o.west.data(), whole->planes.west.data(), o.west.size(), stream);
  stream.synchronize();
}

template <class T>
void DistributedGpuSweep<T>::clear(const core::Stream& stream) {
  Impl& o = *impl_;
  for (core::DeviceBuffer<T>* values : {&o.cells, &o.top, &o.north, &o.west})
    core::fill_bytes_async(*values, 0, stream);
}

template <class T>
void DistributedGpuSweep<T>::sweep(const core::Stream& stream) {
  impl_->sums.sum(impl_->sum.data(), 1, stream);
  const core::DeviceSpan span("sweep", core::TraceCategory::compute, stream.get());
  if (impl_->method) impl_->method->enqueue(stream);
}

template <class T>
void DistributedGpuSweep<T>::check(const core::Stream& stream) const {
  stream.synchronize();
  impl_->sums.check(stream);
  if (impl_->method) impl_->method->check_finished(stream);
}

template <class T>
void DistributedGpuSweep<T>::gather(std::span<T> whole, const core::Stream& stream) const {
  const Impl& o = *impl_;
  const std::int64_t of_plane = o.whole.ny * o.whole.nz;
  const auto count_of = [&](std::int64_t planes) { return static_cast<std::size_t>(planes * of_plane); };
  if (o.ranks.rank() == 0) {
    o.each_range(0, [&](std::int64_t first, std::int64_t at, std::int64_t count) {
      core::copy_async(whole.data() + first * of_plane, o.cells.data() + at * of_plane, count_of(count), stream);
    });
    for (int r = 1; r < o.ranks.size(); ++r)
      o.each_range(r, [&](std::int64_t first, std::int64_t, std::int64_t count) {
        o.ranks.receive(whole.subspan(count_of(first), count_of(count)), r);
      });
  } else {
    core::HostBuffer<T> sent(o.cells.size());
    core::copy_async(sent.data(), o.cells.data(), o.cells.size(), stream);
    stream.synchronize();
    o.each_range(o.ranks.rank(), [&](std::int64_t, std::int64_t at, std::int64_t count) {
      o.ranks.send(std::span<const T>(sent.data() + at * of_plane, count_of(count)), 0);
    });
  }
  stream.synchronize();
}

template <class T>
std::span<T> DistributedGpuSweep<T>::device_cells() {
  return impl_->cells.span();
}
template <class T>
std::span<T> DistributedGpuSweep<T>::device_faces() {
  return {reinterpret_cast<T*>(impl_->faces.own()), impl_->face_values};
}

template <class T>
double DistributedGpuSweep<T>::exchange_seconds() const {
  const double in_sums = impl_->sums.seconds();  // waits for the device
  unsigned long long nanoseconds = 0;
  core::check(cudaMemcpy(&nanoseconds, impl_->waited.data(), sizeof(nanoseconds), cudaMemcpyDeviceToHost));
  return in_sums + static_cast<double>(nanoseconds) * 1e-9;
}

template <class T>
std::vector<std::pair<std::string, std::string>> DistributedGpuSweep<T>::choices() const {
  const Impl& o = *impl_;
  return {{"tile", std::to_string(o.plan.planes) + " x " + std::to_string(tile_rows) + " rows"},
          {"cells at a time", std::to_string(o.plan.cells)},
          {"group", std::to_string(o.groups.length) + " of " + std::to_string(o.groups.in_x) + " tiles along x"}};
}

template class DistributedGpuSweep<float>;
template class DistributedGpuSweep<double>;

}  // namespace speedwell::wavefront

// Conjugate gradients on slabs: the passes of cg_passes.hpp, whose work vectors lie in memory that the ranks share.
#include <stdexcept>
#include <string>
#include <utility>

#include "speedwell/apps/stencil/gpu/cg_passes.hpp"
#include "speedwell/apps/stencil/gpu/neighbors.hpp"
#include "speedwell/apps/stencil/gpu_distributed.hpp"
#include "speedwell/comm/gpu/device_sums.hpp"
#include "speedwell/comm/gpu/peer_memory.hpp"

namespace speedwell::stencil {
namespace {

using device::CgState;

void require_options(const CgOptions& options) {
  if (!(options.omega >= 0 && options.omega <= 1))
    throw std::invalid_argument("cg: omega is " + std::to_string(options.omega) + "; it must be from 0 to 1");
  if (!(options.tolerance >= 0))
    throw std::invalid_argument("cg: a tolerance of " + std::to_string(options.tolerance) + "; must not be negative");
}

/// The index of each work vector in the shared memory.
enum Vector { r_index, p_index, q_index, z_index };
int vectors_of(const CgOptions& options) { return options.preconditioner == Preconditioner::polynomial ? 4 : 3; }

}  // namespace

template <class T>
struct DistributedGpuCg<T>::Impl {
  using Passes = device::CgPasses<T, device::SlabNeighbors<T>>;

  Impl(DistributedGpuOperator<T>& given, const CgOptions& chosen, const core::Stream& stream)
      : a(given),
        options((require_options(chosen), chosen)),
        sums(a.local_operator().grid, stream),
        over_ranks(a.ranks()),
        vectors(a.ranks(), static_cast<std::size_t>(vectors_of(options) * a.size()) * sizeof(T)),
        scalars(1) {
    const Grid& grid = a.local_operator().grid;
    const std::int64_t plane = grid.nx * grid.ny;
    const auto field = [&](Vector v) {
      return typename Passes::Field{vector_of(a.ranks().rank(), v), neighbors_of(v, plane)};
    };
    passes = {.a = &a.local_operator(),
              .planes = a.own_planes(),
              .options = options,
              .scalars = scalars.data(),
              .sums = sums.space(),
              .r = field(r_index),
              .p = {field(p_index), field(q_index)},
              .z = options.preconditioner == Preconditioner::polynomial ? field(z_index) : typename Passes::Field{}};
    core::fill_bytes_async(scalars, 0, stream);
    if (options.preconditioner != Preconditioner::none) invert_diagonal(stream);
    stream.synchronize();
  }

  /// Values of a field of a rank: its slab and halo.
  std::int64_t size_of(int rank) const {
    const auto& division = a.host().division();
    const int halo = division.box().halo[0];
    return (division.tile(rank).extent(0) + 2 * halo) * a.local_operator().grid.nx * a.local_operator().grid.ny;
  }
  T* vector_of(int rank, Vector v) const {
    return reinterpret_cast<T*>(vectors.of(rank)) + static_cast<std::int64_t>(v) * size_of(rank);
  }
  device::SlabNeighbors<T> neighbors_of(Vector v, std::int64_t plane) const {
    const auto& division = a.host().division();
    const int rank = a.ranks().rank();
    device::SlabNeighbors<T> neighbors;
    neighbors.sums = over_ranks.view();
    neighbors.plane = plane;
    const Planes own = a.own_planes();
    neighbors.first = own.begin * plane;
    neighbors.last = (own.end - 1) * plane;
    if (!division.divides(0)) return neighbors;
    if (const auto below = division.neighbor(rank, {-1, 0, 0}))  // its planes end with the halo above
      neighbors.below = vector_of(*below, v) + size_of(*below) - plane;
    if (const auto above = division.neighbor(rank, {1, 0, 0})) neighbors.above = vector_of(*above, v);
    return neighbors;
  }
  void invert_diagonal(const core::Stream& stream) {
    core::HostBuffer<T> diagonal = a.host().make_field();
    a.host().diagonal(diagonal.span());
    bool is_positive = true;
    a.host().for_cells([&](std::int64_t i) {
      is_positive &= diagonal[static_cast<std::size_t>(i)] > T(0);
      diagonal[static_cast<std::size_t>(i)] = T(1) / diagonal[static_cast<std::size_t>(i)];
    });
    if (a.ranks().reduce(std::int64_t{is_positive}, comm::Reduction::minimum) == 0)
      throw std::invalid_argument("cg: the preconditioner divides by a diagonal that is not positive");
    inverse = core::DeviceBuffer<T>(diagonal.size());
    core::copy_async(inverse.data(), static_cast<const T*>(diagonal.data()), diagonal.size(), stream);
    stream.synchronize();
    a.fill_halo(inverse.data(), stream);
    passes.inverse = inverse.data();
  }

  DistributedGpuOperator<T>& a;
  CgOptions options;
  Sums sums;
  comm::DeviceSums over_ranks;
  comm::PeerMemory vectors;
  core::DeviceBuffer<CgState> scalars;
  core::DeviceBuffer<T> inverse;
  Passes passes;
  device::CgLoop<T> loop;
};

template <class T>
DistributedGpuCg<T>::DistributedGpuCg(DistributedGpuOperator<T>& a, const CgOptions& options,
                                      const core::Stream& stream)
    : impl_(std::make_unique<Impl>(a, options, stream)) {}
template <class T>
DistributedGpuCg<T>::~DistributedGpuCg() = default;
template <class T>
DistributedGpuCg<T>::DistributedGpuCg(DistributedGpuCg&&) noexcept = default;

template <class T>
void DistributedGpuCg<T>::run(const T* b, T* x, const core::Stream& stream) {
  Impl& s = *impl_;
  const std::int64_t plane = s.passes.a->grid.nx * s.passes.a->grid.ny;
  const std::int64_t first = s.passes.planes.begin * plane, cells = s.passes.planes.size() * plane;
  gpu_sum(b + first, cells, true, s.sums.space(), stream);
  s.over_ranks.sum(s.sums.space().sums, 1, stream);
  device::begin_state(s.scalars.data(), static_cast<const double*>(s.sums.space().sums), s.options, x + first, cells,
                      stream);
  s.a.fill_halo(x, stream);
  core::check(cudaMemsetAsync(s.passes.p[0].data, 0, static_cast<std::size_t>(s.a.size()) * sizeof(T), stream.get()));
  s.passes.begin(b, x, stream);
  s.loop.run(s.passes, x, stream);
}

template <class T>
CgResult DistributedGpuCg<T>::result(const core::Stream& stream) const {
  impl_->over_ranks.check(stream);
  impl_->a.check(stream);
  CgState end;
  core::copy_async(&end, static_cast<const CgState*>(impl_->scalars.data()), 1, stream);
  stream.synchronize();
  return device::result_of(end);
}

template <class T>
double DistributedGpuCg<T>::exchange_seconds() const {
  return impl_->over_ranks.seconds() + impl_->a.exchange_seconds();
}

template <class T>
void DistributedGpuCg<T>::loop_by_host(bool wanted) {
  impl_->loop.by_host(wanted);
}

template class DistributedGpuCg<float>;
template class DistributedGpuCg<double>;

}  // namespace speedwell::stencil

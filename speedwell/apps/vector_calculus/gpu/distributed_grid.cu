// The halo travels on the exchange's stream; the rim is computed on a stream of its own as soon as it is there, beside
// the interior, whose blocks leave it room as they end.
#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/vector_calculus/gpu_distributed_grid.hpp"
#include "speedwell/comm/gpu/device_halo_exchange.hpp"
#include "speedwell/comm/gpu/exposed_time.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::vector_calculus {
namespace {

comm::Range planes_of(const comm::HaloLayout::Region& region) { return region.ranges[0]; }

}  // namespace

struct DistributedGpuGrid::Impl {
  /// By the words of the fields.
  template <class T>
  using Exchanges = std::map<std::vector<int>, comm::DeviceHaloExchange<T>>;

  Impl(const comm::Communicator& all, const Grid& grid, comm::Transport given, int depth)
      : host(all, grid, depth, {1, 1, all.size()}),
        transport(given),
        layout(host.division(), all.rank(), comm::HaloShape::faces) {
    if (all.size() == 1 || depth == 0) return;
    if (const auto reason = comm::transport_missing(all, given))
      throw core::Unavailable("transport " + std::string(to_string(given)) + ": " + *reason);
  }

  bool one_sided() const { return host.whole().boundary == Boundary::one_sided; }
  bool is_divided() const { return host.ranks().size() > 1; }
  /// Whether the slab has the first, or the last, planes of the grid.
  bool is_first() const { return host.points_along(2).begin == 0; }
  bool is_last() const { return host.points_along(2).end == host.whole().nz; }

  template <class T>
  Exchanges<T>& exchanges() {
    if constexpr (std::is_same_v<T, float>)
      return exchanges_f32;
    else
      return exchanges_f64;
  }
  template <class T>
  comm::DeviceHaloExchange<T>& exchange_of(std::span<const TileField<T>> fields) {
    std::vector<int> words;
    for (const TileField<T>& field : fields) words.push_back(field.words);
    auto found = exchanges<T>().find(words);
    if (found == exchanges<T>().end())
      found = exchanges<T>()
                  .emplace(words, comm::DeviceHaloExchange<T>(host.ranks(), host.division(), comm::HaloShape::faces,
                                                              words, transport))
                  .first;
    return found->second;
  }

  DistributedGrid host;
  comm::Transport transport;
  comm::HaloLayout layout;
  Exchanges<float> exchanges_f32;
  Exchanges<double> exchanges_f64;
  core::Stream rim_stream;
  core::Event begun, ended;
  comm::ExposedTime exposed;
};

DistributedGpuGrid::DistributedGpuGrid(const comm::Communicator& ranks, const Grid& grid, comm::Transport transport,
                                       int depth)
    : impl_(std::make_unique<Impl>(ranks, grid, transport, depth)) {}
DistributedGpuGrid::~DistributedGpuGrid() = default;

comm::Transport DistributedGpuGrid::transport() const { return impl_->transport; }
const DistributedGrid& DistributedGpuGrid::host() const { return impl_->host; }
comm::Range DistributedGpuGrid::own_planes() const { return planes_of(impl_->layout.own()); }

// A frame without the planes beyond the ends of a one-sided grid, where no neighbour's are: there its ends are those of
// the grid, and elsewhere the outermost planes of the halo, of which no derivative is taken.
template <class T>
device::PlaneRange<T> DistributedGpuGrid::range_of(comm::Range planes) const {
  const bool sided = impl_->one_sided();
  device::PlaneRange<T> range{frame_of<T>(local()), sided, impl_->is_divided(), 0, planes.begin, planes.end};
  if (!sided || !impl_->is_divided()) return range;
  if (impl_->is_last()) range.frame.nz = own_planes().end;
  if (!impl_->is_first()) return range;
  range.base = own_planes().begin;
  range.frame.nz -= range.base;
  range.begin -= range.base;
  range.end -= range.base;
  return range;
}

template <class T>
void DistributedGpuGrid::scatter(const T* whole, TileField<T> field, const core::Stream& stream) const {
  core::HostBuffer<T> slab(static_cast<std::size_t>(local().size() * field.words));
  host().scatter(whole, TileField<T>{slab.data(), field.words});
  const std::int64_t plane = local().nx * local().ny * field.words, first = own_planes().begin * plane;
  core::copy_async(field.data + first, static_cast<const T*>(slab.data() + first),
                   static_cast<std::size_t>(own_planes().size() * plane), stream);
  stream.synchronize();
}
template <class T>
void DistributedGpuGrid::gather(TileField<const T> field, T* whole, const core::Stream& stream) const {
  core::HostBuffer<T> slab(static_cast<std::size_t>(local().size() * field.words));
  const std::int64_t plane = local().nx * local().ny * field.words, first = own_planes().begin * plane;
  core::copy_async(slab.data() + first, field.data + first, static_cast<std::size_t>(own_planes().size() * plane),
                   stream);
  stream.synchronize();
  host().gather(TileField<const T>{slab.data(), field.words}, whole);
}
template <class T>
void DistributedGpuGrid::scatter_vector(Layout layout, const T* whole, T* field, const core::Stream& stream) const {
  if (layout == Layout::aos) return scatter(whole, TileField<T>{field, 3}, stream);
  for (std::int64_t c = 0; c < 3; ++c)
    scatter(whole ? whole + c * this->whole().size() : nullptr, TileField<T>{field + c * local().size(), 1}, stream);
}
template <class T>
void DistributedGpuGrid::gather_vector(Layout layout, const T* field, T* whole, const core::Stream& stream) const {
  if (layout == Layout::aos) return gather(TileField<const T>{field, 3}, whole, stream);
  for (std::int64_t c = 0; c < 3; ++c)
    gather(TileField<const T>{field + c * local().size(), 1}, whole ? whole + c * this->whole().size() : nullptr,
           stream);
}

template <class T>
void DistributedGpuGrid::for_planes(std::span<const TileField<T>> fields, int reach, HaloUpdate update,
                                    const Compute& compute, const core::Stream& stream) {
  if (reach > depth())
    throw std::invalid_argument("vector_calculus: " + core::counted(reach, "nested derivative") +
                                " on a grid with a halo of " + core::counted(depth(), "plane"));
  if (!impl_->is_divided() || fields.empty() || update == HaloUpdate::none) return compute(own_planes(), stream);
  comm::DeviceHaloExchange<T>& exchange = impl_->exchange_of(fields);
  std::vector<T*> data;
  for (const TileField<T>& field : fields) data.push_back(field.data);
  if (update == HaloUpdate::before) {
    impl_->exposed.measure(stream, [&] { exchange.exchange(data, stream); });
    return compute(own_planes(), stream);
  }
  // The interior is enqueued first: the host takes longer to enqueue an exchange than for one kernel.
  impl_->begun.record(stream);  // what the exchange reads and the rim writes may be in use by what is before this
  const comm::Range interior = planes_of(impl_->layout.interior());
  if (interior.size() > 0) {
    const core::DeviceSpan span("interior", core::TraceCategory::compute, stream.get());
    compute(interior, stream);
  }
  core::check(cudaStreamWaitEvent(impl_->rim_stream.get(), impl_->begun.get()));
  exchange.start(data, impl_->rim_stream);
  exchange.finish(data, impl_->rim_stream);
  for (const auto& region : impl_->layout.rim()) {
    const core::DeviceSpan span("rim", core::TraceCategory::compute, impl_->rim_stream.get(), "rim");
    compute(planes_of(region), impl_->rim_stream);
  }
  impl_->ended.record(impl_->rim_stream);
  impl_->exposed.measure(stream, [&] { core::check(cudaStreamWaitEvent(stream.get(), impl_->ended.get())); });
}

template <class T>
void DistributedGpuGrid::prepare(std::span<const TileField<T>> fields) {
  if (impl_->is_divided() && !fields.empty()) impl_->exchange_of(fields);
}

Totals DistributedGpuGrid::combine(const Totals& own) { return impl_->host.combine(own); }
double DistributedGpuGrid::exchange_seconds() const {
  return impl_->exposed.seconds() + impl_->host.exchange_seconds();
}
void DistributedGpuGrid::check(const core::Stream& stream) const {
  stream.synchronize();
  for (const auto& [words, exchange] : impl_->exchanges_f32) exchange.check(stream);
  for (const auto& [words, exchange] : impl_->exchanges_f64) exchange.check(stream);
}

#define SPEEDWELL_INSTANTIATE(T)                                                                               \
  template device::PlaneRange<T> DistributedGpuGrid::range_of(comm::Range) const;                              \
  template void DistributedGpuGrid::scatter(const T*, TileField<T>, const core::Stream&) const;                \
  template void DistributedGpuGrid::gather(TileField<const T>, T*, const core::Stream&) const;                 \
  template void DistributedGpuGrid::scatter_vector(Layout, const T*, T*, const core::Stream&) const;           \
  template void DistributedGpuGrid::gather_vector(Layout, const T*, T*, const core::Stream&) const;            \
  template void DistributedGpuGrid::for_planes(std::span<const TileField<T>>, int, HaloUpdate, const Compute&, \
                                               const core::Stream&);                                           \
  template void DistributedGpuGrid::prepare(std::span<const TileField<T>>);
SPEEDWELL_INSTANTIATE(float)
SPEEDWELL_INSTANTIATE(double)
#undef SPEEDWELL_INSTANTIATE

}  // namespace speedwell::vector_calculus

// The streams and the memory of sampled transforms on several GPUs; sample_schedule.hpp has their order, and
// slab_blocks.hpp the division.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "speedwell/comm/gpu/exposed_time.hpp"
#include "speedwell/comm/gpu/peer_memory.hpp"
#include "speedwell/comm/gpu/urgent_stream.hpp"
#include "speedwell/core/cuda_trace.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/numerics/fft/gpu/block_transform.hpp"
#include "speedwell/numerics/fft/gpu/device_spans.hpp"
#include "speedwell/numerics/fft/gpu/kernels/plane_stores.hpp"
#include "speedwell/numerics/fft/gpu/kernels/sampled_passes.hpp"
#include "speedwell/numerics/fft/gpu/samples.hpp"
#include "speedwell/numerics/fft/ranks/gpu_exchange.hpp"
#include "speedwell/numerics/fft/ranks/gpu_samples.hpp"
#include "speedwell/numerics/fft/ranks/rank_flags.hpp"
#include "speedwell/numerics/fft/ranks/sample_schedule.hpp"
#include "speedwell/numerics/fft/ranks/slab_blocks.hpp"
#include "speedwell/numerics/fft/ranks/slabs.hpp"

namespace speedwell::fft {
namespace {

using comm::Transport;

constexpr int stored_flags = 0, free_flags = 1;

const Shape& checked(const Shape& shape, int max_log, const GpuSamplesOptions& options) {
  if (options.store_blocks < 0)
    throw std::invalid_argument("fft: " + std::to_string(options.store_blocks) +
                                " thread blocks that store; 0 chooses the number");
  return gpu::require_sampled_shape(shape, max_log);
}

/// The two slabs of each rank in memory that all reach, and the flags about them.
template <class T>
struct SharedSlabs {
  SharedSlabs(const comm::Communicator& ranks, const gpu::SlabDivision& of_array, const core::Stream& stream)
      : division(of_array),
        rank(ranks.rank()),
        window(ranks, 2 * static_cast<std::size_t>(division.array_points(rank)) * sizeof(gpu::Complex<T>)),
        flags(ranks, 2),
        planes(static_cast<std::size_t>(2 * division.first)) {
    const std::int64_t plane = division.second * division.inner;
    std::vector<unsigned long long> addresses;
    for (int s = 0; s < 2; ++s)
      for (const auto& owner : division.plane_owners())
        addresses.push_back(reinterpret_cast<unsigned long long>(slab(owner.rank, s) + owner.index * plane));
    core::copy_async(planes.data(), addresses.data(), planes.size(), stream);
    stream.synchronize();
  }

  /// Slab 0 or 1 of a rank: its planes, one after the other.
  gpu::Complex<T>* slab(int of_rank, int which) const {
    return reinterpret_cast<gpu::Complex<T>*>(window.of(of_rank)) + which * division.array_points(of_rank);
  }
  gpu::Complex<T>* own_slab(int which) const { return slab(rank, which); }
  /// The addresses of all planes in slab `which` of the rank that has them, in device memory.
  const unsigned long long* plane_addresses(int which) const { return planes.data() + which * division.first; }

  const gpu::SlabDivision& division;
  int rank;
  comm::PeerMemory window;
  gpu::RankFlags flags;
  core::DeviceBuffer<unsigned long long> planes;
  // After the memory that its kernels use, so that it is destroyed before; PeerMemory waits for the device anyway.
  comm::UrgentStream link;
  core::Event ready, done;
  comm::ExposedTime exposed_first, exposed;  // of the first transforms of calls, which have none beside them; others
};

/// The slab of other transports, and the columns before their exchange.
template <class T>
struct ExchangedSlab {
  ExchangedSlab(const comm::Communicator& ranks, const gpu::SlabDivision& division, Transport transport)
      : exchange(ranks, division.largest_slab(), transport),
        columns(static_cast<std::size_t>(division.spectrum_points(ranks.rank()))),
        blocks(division.all_blocks(ranks.rank(), true)) {}

  gpu::SlabExchange<T> exchange;
  core::DeviceBuffer<gpu::Complex<T>> columns;
  gpu::SlabBlocks blocks;
};

}  // namespace

template <class T>
struct GpuDistributedSamples<T>::Impl {
  using Point = gpu::Complex<T>;

  Impl(const comm::Communicator& all, const Shape& shape, std::span<const std::int64_t> positions,
       const GpuSamplesOptions& options)
      : ranks(all),
        extents(checked(shape, gpu::max_log<T>, options).extents),
        tiles(slab_tiles(Kind::complex, shape, ranks.size())),
        division{extents[0], extents[1], extents[2], ranks.size()},
        sample_count(static_cast<std::int64_t>(positions.size())) {
    gpu::require_positions(positions, extents[0] * extents[1] * extents[2]);
    transport = options.transport ? *options.transport : comm::fastest_transport(ranks);
    const core::Stream stream;
    for (const std::int64_t extent : extents) axes.emplace_back(extent, stream);
    const std::int64_t plane = extents[1] * extents[2], begin = division.planes_of(ranks.rank()).begin * plane;
    list.emplace(gpu::samples_by_row(positions, begin, array_points(), extents[2]), stream);
    if (transport == Transport::peer) {
      const int resident = gpu::resident_plane_store_blocks<T>(axes[0].log_n());
      shared.emplace(ranks, division, stream);
      store_blocks = options.store_blocks > 0 ? options.store_blocks
                     : ranks.size() == 1      ? resident
                                              : std::max(resident / 3, 1);
    } else {
      exchanged.emplace(ranks, division, transport);
    }
    stream.synchronize();
  }

  std::int64_t array_points() const { return division.array_points(ranks.rank()); }
  std::int64_t spectrum_points() const { return division.spectrum_points(ranks.rank()); }
  std::int64_t weight_count() const { return extents[0] + extents[1] + extents[2]; }

  /// The columns of this rank: the pass over them, and their loads. A sign of -1 conjugates.
  gpu::Pass<T> column_pass() const {
    const std::int64_t lines = division.layers_of(ranks.rank()).size() * extents[2];
    const gpu::LineLayout layout = gpu::column_layout(extents[0], lines);
    return {lines, layout, layout, axes[0].table()};
  }
  gpu::Weighted<T> weighted(const Point* spectrum, const T* w, T sign) const {
    const comm::Range layers = division.layers_of(ranks.rank());
    const T* const w1 = w + extents[0];
    return {spectrum, w, w1 + layers.begin, w1 + extents[1], layers.size(), extents[2], sign};
  }
  void store_columns(const Point* spectrum, const T* w, T sign, int slab, const core::Stream& link) const {
    const core::DeviceSpan span("transform and store into the slabs of all", core::TraceCategory::communication,
                                link.get(), "communication", sent_bytes());
    const gpu::ToPlanes<T> out{shared->plane_addresses(slab), division.layers_of(ranks.rank()).begin * extents[2]};
    gpu::store_columns_in_planes<T>(axes[0].log_n(), column_pass(), weighted(spectrum, w, sign), out, store_blocks,
                                    link);
  }
  /// Transforms the planes of a slab along their two axes, in place, and stores the samples.
  void transform_planes(Point* slab, T sign, Point* samples, const core::Stream& stream) const {
    const std::int64_t planes = division.planes_of(ranks.rank()).size();
    const gpu::LineLayout middle = gpu::column_layout(extents[1], extents[2]), rows = gpu::row_layout(extents[2]);
    axes[1].run({slab, slab, planes * extents[2], middle, middle}, nullptr, stream);
    gpu::transform_rows<T>(axes[2].log_n(), {planes * extents[1], rows, rows, axes[2].table()}, {slab},
                           {list->first.data(), list->wanted.data(), samples, sign}, stream);
  }

  void through_shared_slabs(const Point* spectrum, const T* weights, T sign, Point* samples, int count,
                            const core::Stream& stream) {
    SharedSlabs<T>& s = *shared;
    const core::Stream link = core::Stream::borrow(s.link.get());
    s.ready.record(stream);
    s.link.wait_for(s.ready);
    const gpu::TransformNumber begin = done + 1;
    for (const auto& [action, number] : gpu::sample_schedule(done, static_cast<gpu::TransformNumber>(count))) {
      const int slab = gpu::slab_of_transform(number);
      const std::int64_t t = static_cast<std::int64_t>(number - begin);  // where the number is that of a transform
      const cudaStream_t on = gpu::is_on_link(action) ? link.get() : stream.get();
      switch (action) {
        case gpu::SampleAction::tell_free:
          s.flags.tell(free_flags, number, on);
          break;
        case gpu::SampleAction::wait_until_free:
          s.flags.wait(free_flags, number, on);
          break;
        case gpu::SampleAction::store_columns:
          store_columns(spectrum, weights + t * weight_count(), sign, slab, link);
          break;
        case gpu::SampleAction::tell_stored:
          s.flags.tell(stored_flags, number, on);
          break;
        case gpu::SampleAction::wait_until_stored:
          (t == 0 ? s.exposed_first : s.exposed).measure(stream, [&] { s.flags.wait(stored_flags, number, on); });
          break;
        case gpu::SampleAction::transform_planes:
          transform_planes(s.own_slab(slab), sign, samples + t * sample_count, stream);
          break;
      }
    }
    // What follows on the stream may overwrite the spectrum and the weights.
    s.link.record(s.done);
    core::check(cudaStreamWaitEvent(stream.get(), s.done.get()));
    done += static_cast<gpu::TransformNumber>(count);
  }
  void through_exchange(const Point* spectrum, const T* weights, T sign, Point* samples, int count,
                        const core::Stream& stream) {
    ExchangedSlab<T>& s = *exchanged;
    for (int t = 0; t < count; ++t) {
      gpu::transform_columns<T>(axes[0].log_n(), column_pass(), weighted(spectrum, weights + t * weight_count(), sign),
                                {s.columns.data()}, stream);
      s.exchange.begin(stream);
      s.exchange.end(s.blocks, s.columns.data(), stream);
      transform_planes(s.exchange.received(), sign, samples + t * sample_count, stream);
    }
  }

  Point* work() { return shared ? shared->own_slab(0) : exchanged->exchange.received(); }
  std::int64_t sent_bytes() const {
    return division.points_sent(ranks.rank(), true) * static_cast<std::int64_t>(sizeof(Point));
  }
  double bytes() const {
    const auto slab = static_cast<double>(array_points()) * static_cast<double>(sizeof(Point));
    const double slabs =
        shared ? 2 * slab : exchanged->exchange.bytes() + static_cast<double>(exchanged->columns.bytes());
    return slabs + list->bytes();
  }
  double exchange_seconds() {
    return shared ? shared->exposed_first.seconds() + shared->exposed.seconds() : exchanged->exchange.seconds();
  }

  const comm::Communicator& ranks;
  std::vector<std::int64_t> extents;
  SlabTiles tiles;
  gpu::SlabDivision division;
  std::int64_t sample_count;
  Transport transport = Transport::peer;
  int store_blocks = 0;
  std::vector<gpu::BlockTransform<T>> axes;
  std::optional<gpu::DeviceSamples> list;
  std::optional<SharedSlabs<T>> shared;       // with Transport::peer
  std::optional<ExchangedSlab<T>> exchanged;  // with the others
  gpu::TransformNumber done = 0;              // with Transport::peer
};

template <class T>
GpuDistributedSamples<T>::GpuDistributedSamples(const comm::Communicator& ranks, const Shape& shape,
                                                std::span<const std::int64_t> positions,
                                                const GpuSamplesOptions& options)
    : impl_(std::make_unique<Impl>(ranks, shape, positions, options)) {}

template <class T>
void GpuDistributedSamples<T>::transform(Direction direction, std::span<const Complex> spectrum,
                                         std::span<const T> weights, std::span<Complex> samples,
                                         const core::Stream& stream) {
  const auto count = static_cast<std::int64_t>(weights.size()) / this->weights();
  gpu::require_span<T>(spectrum, spectrum_points(), "spectrum");
  require_size(weights.size(), count * this->weights(), "the list of weights");
  gpu::require_span<T>(samples, count * this->samples(), "samples");
  const T sign = direction == Direction::backward ? T{-1} : T{1};
  const auto enqueue = impl_->shared ? &Impl::through_shared_slabs : &Impl::through_exchange;
  (*impl_.*enqueue)(gpu::device(spectrum.data()), weights.data(), sign, gpu::device(samples.data()),
                    static_cast<int>(count), stream);
}
template <class T>
std::span<std::complex<T>> GpuDistributedSamples<T>::work() {
  return {reinterpret_cast<Complex*>(impl_->work()), static_cast<std::size_t>(array_points())};
}
template <class T>
const std::vector<comm::Tile>& GpuDistributedSamples<T>::array_tiles() const {
  return impl_->tiles.array;
}
template <class T>
const std::vector<comm::Tile>& GpuDistributedSamples<T>::spectrum_tiles() const {
  return impl_->tiles.columns;
}
template <class T>
std::int64_t GpuDistributedSamples<T>::array_points() const {
  return impl_->array_points();
}
template <class T>
std::int64_t GpuDistributedSamples<T>::spectrum_points() const {
  return impl_->spectrum_points();
}
template <class T>
std::int64_t GpuDistributedSamples<T>::weights() const {
  return impl_->weight_count();
}
template <class T>
std::int64_t GpuDistributedSamples<T>::samples() const {
  return impl_->sample_count;
}
template <class T>
Transport GpuDistributedSamples<T>::transport() const {
  return impl_->transport;
}
template <class T>
int GpuDistributedSamples<T>::store_blocks() const {
  return impl_->store_blocks;
}
template <class T>
std::int64_t GpuDistributedSamples<T>::sent_bytes() const {
  return impl_->sent_bytes();
}
template <class T>
double GpuDistributedSamples<T>::bytes() const {
  return impl_->bytes();
}
template <class T>
double GpuDistributedSamples<T>::exchange_seconds() const {
  return impl_->exchange_seconds();
}
template <class T>
void GpuDistributedSamples<T>::check(const core::Stream& stream) const {
  if (impl_->shared) return impl_->shared->flags.check(stream, "an exchange of a transform");
  impl_->exchanged->exchange.check(stream);
}

template class GpuDistributedSamples<float>;
template class GpuDistributedSamples<double>;

}  // namespace speedwell::fft

// Each rank has a slab in memory that all reach. Forward it is [own layers][first][inner], so that a point of a plane
// goes to layer y at the place of its column in the layer; backward it is [own planes][second][inner]. For either there
// is a table of the addresses of all layers or planes.
#include <algorithm>
#include <bit>
#include <vector>

#include "speedwell/comm/gpu/exposed_time.hpp"
#include "speedwell/comm/gpu/peer_memory.hpp"
#include "speedwell/core/cuda_trace.hpp"
#include "speedwell/numerics/fft/gpu/block_transform.hpp"
#include "speedwell/numerics/fft/gpu/kernels/plane_stores.hpp"
#include "speedwell/numerics/fft/gpu/method.hpp"
#include "speedwell/numerics/fft/ranks/direct_slabs.hpp"
#include "speedwell/numerics/fft/ranks/rank_flags.hpp"

namespace speedwell::fft::gpu {
namespace {

constexpr int free_flags = 0, stored_flags = 1;

}  // namespace

template <class T>
struct DirectSlabs<T>::Impl {
  using Point = Complex<T>;

  Impl(const comm::Communicator& all, const SlabDivision& of_array, const core::Stream& stream)
      : ranks(all),
        division(of_array),
        own_planes(division.planes_of(ranks.rank())),
        own_layers(division.layers_of(ranks.rank())),
        first(division.first, stream),
        second(division.second, stream),
        rows(division.inner, stream),
        window(ranks, static_cast<std::size_t>(slab_points()) * sizeof(Point)),
        flags(ranks, 2),
        work(array_exceeds_spectrum() ? static_cast<std::size_t>(division.array_points(ranks.rank())) : 0),
        counters(static_cast<std::size_t>(plane_counters(own_planes.size()))),
        layers(static_cast<std::size_t>(division.second)),
        planes(static_cast<std::size_t>(division.first)) {
    // Forward: layer y of its owner; backward: plane z of its owner.
    const auto addresses = [&](std::int64_t count, auto part_of_rank, std::int64_t points) {
      std::vector<unsigned long long> all_of_them;
      for (int r = 0; r < ranks.size(); ++r)
        for (std::int64_t k = 0; k < part_of_rank(r).size(); ++k)
          all_of_them.push_back(reinterpret_cast<unsigned long long>(slab_of(r) + k * points));
      all_of_them.resize(static_cast<std::size_t>(count));
      return all_of_them;
    };
    const auto of_layers = addresses(
        division.second, [&](int r) { return division.layers_of(r); }, division.first * division.inner);
    const auto of_planes = addresses(
        division.first, [&](int r) { return division.planes_of(r); }, division.second * division.inner);
    core::copy_async(layers.data(), of_layers.data(), of_layers.size(), stream);
    core::copy_async(planes.data(), of_planes.data(), of_planes.size(), stream);
    stream.synchronize();
  }

  std::int64_t slab_points() const {
    return std::max(division.array_points(ranks.rank()), division.spectrum_points(ranks.rank()));
  }
  bool array_exceeds_spectrum() const {
    return division.array_points(ranks.rank()) > division.spectrum_points(ranks.rank());
  }
  Point* slab_of(int rank) const { return reinterpret_cast<Point*>(window.of(rank)); }
  Point* own_slab() const { return slab_of(ranks.rank()); }

  Planes<T> planes_of_slab() const {
    const std::int64_t bytes = division.second * division.inner * static_cast<std::int64_t>(sizeof(Point));
    return {.planes = own_planes.size(),
            .log_rows = second.log_n(),
            .log_columns = rows.log_n(),
            .table_of_rows = rows.table(),
            .table_of_columns = second.table(),
            .lag = static_cast<int>(std::max(plane_lag(bytes), min_plane_lag))};
  }

  /// Calls store(), which enqueues a pass that stores into the slabs of all, when these may be overwritten, and waits
  /// until all have stored.
  template <class Store>
  void exchange(bool is_backward, const core::Stream& stream, const Store& store) {
    ++number;
    flags.tell(free_flags, number, stream.get());
    flags.wait(free_flags, number, stream.get());
    {
      const auto bytes = division.points_sent(ranks.rank(), is_backward) * static_cast<std::int64_t>(sizeof(Point));
      const core::DeviceSpan span("transform and store into the slabs of all", core::TraceCategory::communication,
                                  stream.get(), "communication", bytes);
      store();
    }
    flags.tell(stored_flags, number, stream.get());
    exposed.measure(stream, [&] { flags.wait(stored_flags, number, stream.get()); });
  }

  void forward(const Point* array, Point* spectrum, T scale, const core::Stream& stream) {
    exchange(false, stream, [&] {
      const ToPlanes<T> out{layers.data(), own_planes.begin * division.inner};
      Point* const rows_of_planes = array_exceeds_spectrum() ? work.data() : spectrum;
      store_planes_in_planes(planes_of_slab(), array, T{1}, rows_of_planes, out, counters.data(), stream);
    });
    const std::int64_t inner = division.inner, lines = own_layers.size() * inner;
    const LineLayout to{.element = lines, .count = {lines, 1}, .step = {1, 0, 0}};
    first.run({own_slab(), spectrum, lines, column_layout(division.first, inner), to, T{1}, T{1}, scale}, nullptr,
              stream);
  }
  void backward(const Point* spectrum, Point* array, T scale, const core::Stream& stream) {
    exchange(true, stream, [&] {
      const std::int64_t lines = own_layers.size() * division.inner;
      const LineLayout layout = column_layout(division.first, lines);
      const FromMemory<T> in{spectrum, T{-1}};
      const ToPlanes<T> out{planes.data(), own_layers.begin * division.inner};
      store_columns_in_planes(first.log_n(), Pass<T>{lines, layout, layout, first.table()}, in, out,
                              resident_plane_store_blocks<T>(first.log_n()), stream);
    });
    transform_planes(planes_of_slab(), own_slab(), array, T{1}, T{-1}, scale, counters.data(), stream);
  }

  const comm::Communicator& ranks;
  SlabDivision division;
  comm::Range own_planes, own_layers;
  BlockTransform<T> first, second, rows;  // of lines along the three axes
  comm::PeerMemory window;                // of a rank: its slab
  RankFlags flags;
  core::DeviceBuffer<Point> work;  // planes whose rows are transformed, where the spectrum's memory is too small
  core::DeviceBuffer<std::uint32_t> counters;
  core::DeviceBuffer<unsigned long long> layers, planes;  // addresses
  comm::ExposedTime exposed;
  unsigned long long number = 0;  // of the transform
};

template <class T>
bool DirectSlabs<T>::supports(const SlabDivision& division) {
  const std::int64_t extents[] = {division.first, division.second, division.inner};
  if (!stores_in_passes(extents, sizeof(T))) return false;
  return plane_store_shared_bytes<T>(std::countr_zero(static_cast<std::uint64_t>(division.first))) <=
         core::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
}

template <class T>
DirectSlabs<T>::DirectSlabs(const comm::Communicator& ranks, const SlabDivision& division, const core::Stream& stream)
    : impl_(std::make_unique<Impl>(ranks, division, stream)) {}
template <class T>
DirectSlabs<T>::~DirectSlabs() = default;
template <class T>
void DirectSlabs<T>::forward(const Complex<T>* array, Complex<T>* spectrum, T scale, const core::Stream& stream) {
  impl_->forward(array, spectrum, scale, stream);
}
template <class T>
void DirectSlabs<T>::backward(const Complex<T>* spectrum, Complex<T>* array, T scale, const core::Stream& stream) {
  impl_->backward(spectrum, array, scale, stream);
}
template <class T>
double DirectSlabs<T>::bytes() const {
  return static_cast<double>(impl_->slab_points()) * sizeof(Complex<T>) + static_cast<double>(impl_->work.bytes());
}
template <class T>
double DirectSlabs<T>::seconds() const {
  return impl_->exposed.seconds();
}
template <class T>
void DirectSlabs<T>::check(const core::Stream& stream) const {
  impl_->flags.check(stream, "an exchange of a transform");
}

template class DirectSlabs<float>;
template class DirectSlabs<double>;

}  // namespace speedwell::fft::gpu

// Each rank has a slab in memory that all reach. Forward it transforms its planes, [second][inner] each, and row y of
// plane z goes to row z of layer y in the slab [own layers][first][inner] of the rank that has this layer; then it
// transforms the columns of its layers. Backward it transforms its layers, and row z of layer y goes to row y of plane
// z in the slab [own planes][second][inner] of the rank that has this plane; then the columns of its planes. For either
// there is a table of the addresses where the rows of the first plane or layer of this rank go.
#include <algorithm>
#include <vector>

#include "speedwell/comm/gpu/exposed_time.hpp"
#include "speedwell/comm/gpu/peer_memory.hpp"
#include "speedwell/core/cuda_trace.hpp"
#include "speedwell/numerics/fft/gpu/block_transform.hpp"
#include "speedwell/numerics/fft/gpu/method.hpp"
#include "speedwell/numerics/fft/ranks/direct_slabs.hpp"
#include "speedwell/numerics/fft/ranks/rank_flags.hpp"
#include "speedwell/numerics/fft/ranks/sending_passes.hpp"

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
        work(array_points() == spectrum_points() ? 0 : static_cast<std::size_t>(slab_points())),
        counters(static_cast<std::size_t>(sending_counters(std::max(own_planes.size(), own_layers.size())))),
        layers(static_cast<std::size_t>(division.second)),
        planes(static_cast<std::size_t>(division.first)) {
    const auto addresses = [&](std::int64_t count, auto part_of_rank, std::int64_t pitch, std::int64_t first_row) {
      std::vector<unsigned long long> all_of_them;
      all_of_them.reserve(static_cast<std::size_t>(count));
      for (int r = 0; r < ranks.size(); ++r)
        for (std::int64_t k = 0; k < part_of_rank(r).size(); ++k)
          all_of_them.push_back(
              reinterpret_cast<unsigned long long>(slab_of(r) + k * pitch + first_row * division.inner));
      return all_of_them;
    };
    const auto of_layers = addresses(
        division.second, [&](int r) { return division.layers_of(r); }, layer_pitch(), own_planes.begin);
    const auto of_planes = addresses(
        division.first, [&](int r) { return division.planes_of(r); }, plane_pitch(), own_layers.begin);
    core::copy_async(layers.data(), of_layers.data(), of_layers.size(), stream);
    core::copy_async(planes.data(), of_planes.data(), of_planes.size(), stream);
    stream.synchronize();
  }

  std::int64_t array_points() const { return division.array_points(ranks.rank()); }
  std::int64_t spectrum_points() const { return division.spectrum_points(ranks.rank()); }
  std::int64_t slab_points() const { return std::max(array_points(), spectrum_points()); }
  /// Points from a layer of a slab to the next forward, and from a plane to the next backward.
  std::int64_t layer_pitch() const { return division.first * division.inner; }
  std::int64_t plane_pitch() const { return division.second * division.inner; }
  Point* slab_of(int rank) const { return reinterpret_cast<Point*>(window.of(rank)); }
  Point* own_slab() const { return slab_of(ranks.rank()); }
  /// Memory for the rows on their way: that of the result, which is written after them, where it is as large.
  Point* work_or(Point* result) { return work.size() > 0 ? work.data() : result; }

  /// `count` planes whose columns are lines of `column`.
  Planes<T> planes_of(std::int64_t count, const BlockTransform<T>& column) const {
    const std::int64_t bytes = division.inner * static_cast<std::int64_t>(sizeof(Point)) << column.log_n();
    return {.planes = count,
            .log_rows = column.log_n(),
            .log_columns = rows.log_n(),
            .table_of_rows = rows.table(),
            .table_of_columns = column.table(),
            .lag = static_cast<int>(std::max(plane_lag(bytes), min_plane_lag))};
  }

  /// The rows of the planes `mine`, numbers in the box: `rows_of_plane` each, of which this rank keeps `kept`.
  DividedRows<T> divided(const comm::Range& mine, const comm::Range& kept, std::int64_t rows_of_plane,
                         std::int64_t pitch, Point* staged, const unsigned long long* address) const {
    return {.log_width = rows.log_n(),
            .planes = mine.size(),
            .rows = static_cast<int>(rows_of_plane),
            .own_begin = static_cast<int>(kept.begin),
            .own_end = static_cast<int>(kept.end),
            .own = own_slab() + mine.begin * division.inner,
            .own_pitch = pitch,
            .staged = staged,
            .address = address};
  }

  /// Calls store(), which enqueues a pass that stores into the slabs of all, when these may be overwritten, and waits
  /// until all have stored.
  template <class Store>
  void exchange(bool is_backward, const core::Stream& stream, const Store& store) {
    flags.wait(free_flags, number, stream.get());
    ++number;
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
      const DividedRows<T> out =
          divided(own_planes, own_layers, division.second, layer_pitch(), work_or(spectrum), layers.data());
      send_planes(planes_of(own_planes.size(), second), array, T{1}, out.staged, out, counters.data(), stream);
    });
    const std::int64_t lines = own_layers.size() * division.inner;
    const LineLayout to{.element = lines, .count = {lines, 1}, .step = {1, 0, 0}};
    first.run({own_slab(), spectrum, lines, column_layout(division.first, division.inner), to, T{1}, T{1}, scale},
              nullptr, stream);
    flags.tell(free_flags, number, stream.get());
  }
  void backward(const Point* spectrum, Point* array, T scale, const core::Stream& stream) {
    exchange(true, stream, [&] {
      const DividedRows<T> out =
          divided(own_layers, own_planes, division.first, plane_pitch(), work_or(array), planes.data());
      Planes<T> of_spectrum = planes_of(own_layers.size(), first);
      of_spectrum.input_row_pitch = own_layers.size() * division.inner;
      of_spectrum.input_plane_pitch = division.inner;
      send_planes(of_spectrum, spectrum, T{-1}, out.staged, out, counters.data(), stream);
    });
    const LineLayout columns = column_layout(division.second, division.inner);
    const std::int64_t lines = own_planes.size() * division.inner;
    second.run({own_slab(), array, lines, columns, columns, T{1}, T{-1}, scale}, nullptr, stream);
    flags.tell(free_flags, number, stream.get());
  }

  const comm::Communicator& ranks;
  SlabDivision division;
  comm::Range own_planes, own_layers;
  BlockTransform<T> first, second, rows;  // of lines along the three axes
  comm::PeerMemory window;                // of a rank: its slab
  RankFlags flags;
  core::DeviceBuffer<Point> work;  // where array and spectrum differ in size
  core::DeviceBuffer<std::uint32_t> counters;
  core::DeviceBuffer<unsigned long long> layers, planes;  // addresses of rows
  comm::ExposedTime exposed;
  unsigned long long number = 0;  // of the transform
};

template <class T>
bool DirectSlabs<T>::supports(const SlabDivision& division) {
  const std::int64_t extents[] = {division.first, division.second, division.inner};
  return stores_in_passes(extents, sizeof(T));
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

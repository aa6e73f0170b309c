// Slabs are divided as slab_blocks.hpp says, where inner is 1 for arrays of two axes. The pieces of an exchange are
// groups of planes of the slab that is sent, forward, and of its layers along the second axis, backward.
#include "speedwell/numerics/fft/ranks/gpu_distributed.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "speedwell/numerics/fft/gpu/axes.hpp"
#include "speedwell/numerics/fft/gpu/device_spans.hpp"
#include "speedwell/numerics/fft/gpu/method.hpp"
#include "speedwell/numerics/fft/gpu_fft.hpp"
#include "speedwell/numerics/fft/ranks/gpu_exchange.hpp"
#include "speedwell/numerics/fft/ranks/slab_blocks.hpp"
#include "speedwell/numerics/fft/ranks/slabs.hpp"

namespace speedwell::fft {
namespace {

using comm::Range;

/// The number of pieces of a slab of `points` points and at least `layers` layers.
template <class T>
int pieces_of(std::int64_t points, std::int64_t layers, const GpuDistributedOptions& options) {
  constexpr std::int64_t min_piece_bytes = std::int64_t{4} << 20, max_pieces = 4;
  if (options.pieces < 0)
    throw std::invalid_argument("fft: " + std::to_string(options.pieces) + " pieces; 0 chooses the number");
  if (options.pieces > 0) return static_cast<int>(std::min<std::int64_t>(options.pieces, layers));
  const std::int64_t wanted = points * static_cast<std::int64_t>(sizeof(std::complex<T>)) / min_piece_bytes;
  return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, std::min(layers, max_pieces)));
}

const Shape& checked(const Shape& shape) {
  require_distributed_shape(shape);
  return shape;
}

}  // namespace

template <class T>
struct GpuDistributedPlan<T>::Impl {
  using Point = gpu::Complex<T>;

  Impl(const comm::Communicator& all, const Shape& of_array, const GpuDistributedOptions& options)
      : ranks(all),
        shape(checked(of_array)),
        tiles(slab_tiles(Kind::complex, shape, ranks.size())),
        division{shape.extents[0], shape.extents[1], shape.extents.size() == 3 ? shape.extents[2] : 1, ranks.size()},
        normalisation(options.normalisation),
        size(division.first * division.second * division.inner),
        pieces(pieces_of<T>(size / ranks.size(),
                            std::max<std::int64_t>(std::min(division.first, division.second) / ranks.size(), 1),
                            options)),
        exchange(ranks, division.largest_slab(),
                 options.transport ? *options.transport : comm::fastest_transport(ranks)) {
    if (exchange.transport() != comm::Transport::peer) pieces = 1;
    const core::Stream stream;
    for (int p = 0; p < pieces; ++p) plane_plan(piece_of_planes(p).size());
    plane_plan(own_planes().size());
    line = columns.transform(division.first, stream);
    const std::int64_t lines = own_layers().size() * division.inner;
    line_work = core::DeviceBuffer<Point>(static_cast<std::size_t>(
        gpu::work_points(gpu::line_method(division.first, sizeof(T)), lines, false, sizeof(T))));
    slab = core::DeviceBuffer<Point>(static_cast<std::size_t>(division.largest_slab()));
    stream.synchronize();
  }

  Range own_planes() const { return division.planes_of(ranks.rank()); }
  Range own_layers() const { return division.layers_of(ranks.rank()); }
  std::int64_t array_points() const { return division.array_points(ranks.rank()); }
  std::int64_t spectrum_points() const { return division.spectrum_points(ranks.rank()); }
  /// Counted from the first plane or layer of this rank.
  Range piece_of_planes(int piece) const { return comm::part_of(own_planes().size(), pieces, piece); }
  Range piece_of_layers(int piece) const { return comm::part_of(own_layers().size(), pieces, piece); }

  std::vector<gpu::SlabBlock> blocks_of_piece(bool backward, Range range) const {
    std::vector<gpu::SlabBlock> blocks;
    for (int r = 0; r < ranks.size(); ++r) blocks.push_back(division.block(backward, ranks.rank(), r, range));
    return blocks;
  }

  GpuPlan<T>& plane_plan(std::int64_t planes) {
    const auto found = plans.find(planes);
    if (found != plans.end()) return found->second;
    return plans.emplace(planes, GpuPlan<T>({{shape.extents.begin() + 1, shape.extents.end()}, planes})).first->second;
  }
  void transform_planes(const Point* in, Point* out, Range planes, bool backward, const core::Stream& stream) {
    const std::int64_t plane = division.second * division.inner, at = planes.begin * plane,
                       count = planes.size() * plane;
    const auto length = static_cast<std::size_t>(count);
    plane_plan(planes.size())
        .transform(backward ? Direction::backward : Direction::forward,
                   std::span(reinterpret_cast<const Complex*>(in + at), length),
                   std::span(reinterpret_cast<Complex*>(out + at), length), stream);
  }
  /// Transforms along the first axis.
  void transform_columns(const Point* in, Point* out, Range layers, bool backward, const core::Stream& stream) {
    const std::int64_t inner = division.inner, at = layers.begin * inner, lines = layers.size() * inner;
    const gpu::LineLayout layout{.element = own_layers().size() * inner, .count = {lines, 1}, .step = {1, 0, 0}};
    const T sign = backward ? T{-1} : T{1};
    const T scale = static_cast<T>(gpu::scale_of(normalisation, size, backward));
    line->run({in + at, out + at, lines, layout, layout, sign, sign, scale}, line_work.data(), stream);
  }

  void forward(const Point* array, Point* spectrum, const core::Stream& stream) {
    exchange.begin(stream);
    for (int p = 0; p < pieces; ++p) {
      const Range planes = piece_of_planes(p);
      transform_planes(array, slab.data(), planes, false, stream);
      if (exchange.transport() == comm::Transport::peer)
        exchange.store(blocks_of_piece(false, planes), slab.data(), stream);
    }
    exchange.end(division.all_blocks(ranks.rank(), false), slab.data(), stream);
    transform_columns(exchange.received(), spectrum, {0, own_layers().size()}, false, stream);
  }
  void backward(const Point* spectrum, Point* array, const core::Stream& stream) {
    exchange.begin(stream);
    for (int p = 0; p < pieces; ++p) {
      const Range layers = piece_of_layers(p);
      transform_columns(spectrum, slab.data(), layers, true, stream);
      if (exchange.transport() == comm::Transport::peer)
        exchange.store(blocks_of_piece(true, layers), slab.data(), stream);
    }
    exchange.end(division.all_blocks(ranks.rank(), true), slab.data(), stream);
    transform_planes(exchange.received(), array, {0, own_planes().size()}, true, stream);
  }

  std::int64_t sent_bytes() const {
    return division.points_sent(ranks.rank(), false) * static_cast<std::int64_t>(sizeof(Complex));
  }
  double bytes() const {
    double all = exchange.bytes() + static_cast<double>(slab.bytes() + line_work.bytes());
    for (const auto& [planes, plan] : plans) all += plan.bytes();
    return all;
  }

  const comm::Communicator& ranks;
  Shape shape;
  SlabTiles tiles;
  gpu::SlabDivision division;
  Normalisation normalisation;
  std::int64_t size;
  int pieces;
  gpu::SlabExchange<T> exchange;
  std::map<std::int64_t, GpuPlan<T>> plans;  // by their number of planes
  gpu::Axes<T> columns;
  const gpu::LineTransform<T>* line = nullptr;
  core::DeviceBuffer<Point> line_work, slab;
};

template <class T>
GpuDistributedPlan<T>::GpuDistributedPlan(const comm::Communicator& ranks, const Shape& shape,
                                          const GpuDistributedOptions& options)
    : impl_(std::make_unique<Impl>(ranks, shape, options)) {}

template <class T>
void GpuDistributedPlan<T>::forward(std::span<const Complex> array, std::span<Complex> spectrum,
                                    const core::Stream& stream) {
  gpu::require_span<T>(array, array_points(), "in");
  gpu::require_span<T>(spectrum, spectrum_points(), "out");
  require_disjoint(array, spectrum);
  impl_->forward(gpu::device(array.data()), gpu::device(spectrum.data()), stream);
}
template <class T>
void GpuDistributedPlan<T>::backward(std::span<const Complex> spectrum, std::span<Complex> array,
                                     const core::Stream& stream) {
  gpu::require_span<T>(spectrum, spectrum_points(), "in");
  gpu::require_span<T>(array, array_points(), "out");
  require_disjoint(spectrum, array);
  impl_->backward(gpu::device(spectrum.data()), gpu::device(array.data()), stream);
}
template <class T>
const std::vector<comm::Tile>& GpuDistributedPlan<T>::array_tiles() const {
  return impl_->tiles.array;
}
template <class T>
const std::vector<comm::Tile>& GpuDistributedPlan<T>::spectrum_tiles() const {
  return impl_->tiles.columns;
}
template <class T>
std::int64_t GpuDistributedPlan<T>::array_points() const {
  return impl_->array_points();
}
template <class T>
std::int64_t GpuDistributedPlan<T>::spectrum_points() const {
  return impl_->spectrum_points();
}
template <class T>
comm::Transport GpuDistributedPlan<T>::transport() const {
  return impl_->exchange.transport();
}
template <class T>
int GpuDistributedPlan<T>::pieces() const {
  return impl_->pieces;
}
template <class T>
std::int64_t GpuDistributedPlan<T>::sent_bytes() const {
  return impl_->sent_bytes();
}
template <class T>
double GpuDistributedPlan<T>::bytes() const {
  return impl_->bytes();
}
template <class T>
double GpuDistributedPlan<T>::exchange_seconds() const {
  return impl_->exchange.seconds();
}
template <class T>
void GpuDistributedPlan<T>::check(const core::Stream& stream) const {
  impl_->exchange.check(stream);
}

template class GpuDistributedPlan<float>;
template class GpuDistributedPlan<double>;

}  // namespace speedwell::fft

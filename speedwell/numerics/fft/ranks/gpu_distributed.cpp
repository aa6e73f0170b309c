// Slabs are divided as slab_blocks.hpp says, where inner is 1 for arrays of two axes. The pieces of an exchange are
// groups of planes of the slab that is sent, forward, and of its layers along the second axis, backward. Lengths that
// DirectSlabs supports need neither pieces nor copies.
#include "speedwell/numerics/fft/ranks/gpu_distributed.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "speedwell/core/error.hpp"
#include "speedwell/numerics/fft/gpu/axes.hpp"
#include "speedwell/numerics/fft/gpu/device_spans.hpp"
#include "speedwell/numerics/fft/gpu/method.hpp"
#include "speedwell/numerics/fft/gpu_fft.hpp"
#include "speedwell/numerics/fft/ranks/direct_slabs.hpp"
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

/// Transforms whose exchange is apart from their passes.
template <class T>
class CopiedSlabs {
 public:
  using Point = gpu::Complex<T>;

  CopiedSlabs(const comm::Communicator& ranks, const Shape& shape, const gpu::SlabDivision& division,
              comm::Transport transport, const GpuDistributedOptions& options)
      : rank_(ranks.rank()),
        ranks_(ranks.size()),
        extents_(shape.extents),
        division_(division),
        pieces_(pieces_of<T>(division.first * division.second * division.inner / ranks_,
                             std::max<std::int64_t>(std::min(division.first, division.second) / ranks_, 1), options)),
        exchange_(ranks, division.largest_slab(), transport) {
    if (transport != comm::Transport::peer) pieces_ = 1;
    const core::Stream stream;
    for (int p = 0; p < pieces_; ++p) plane_plan(piece_of_planes(p).size());
    plane_plan(own_planes().size());
    line_ = columns_.transform(division.first, stream);
    const std::int64_t lines = own_layers().size() * division.inner;
    line_work_ = core::DeviceBuffer<Point>(static_cast<std::size_t>(
        gpu::work_points(gpu::line_method(division.first, sizeof(T)), lines, false, sizeof(T))));
    slab_ = core::DeviceBuffer<Point>(static_cast<std::size_t>(division.largest_slab()));
    stream.synchronize();
  }

  void forward(const Point* array, Point* spectrum, T scale, const core::Stream& stream) {
    exchange_.begin(stream);
    for (int p = 0; p < pieces_; ++p) {
      const Range planes = piece_of_planes(p);
      transform_planes(array, slab_.data(), planes, false, stream);
      store(false, planes, stream);
    }
    exchange_.end(division_.all_blocks(rank_, false), slab_.data(), stream);
    transform_columns(exchange_.received(), spectrum, {0, own_layers().size()}, false, scale, stream);
  }
  void backward(const Point* spectrum, Point* array, T scale, const core::Stream& stream) {
    exchange_.begin(stream);
    for (int p = 0; p < pieces_; ++p) {
      const Range layers = piece_of_layers(p);
      transform_columns(spectrum, slab_.data(), layers, true, scale, stream);
      store(true, layers, stream);
    }
    exchange_.end(division_.all_blocks(rank_, true), slab_.data(), stream);
    transform_planes(exchange_.received(), array, {0, own_planes().size()}, true, stream);
  }

  int pieces() const { return pieces_; }
  double bytes() const {
    double all = exchange_.bytes() + static_cast<double>(slab_.bytes() + line_work_.bytes());
    for (const auto& [planes, plan] : plans_) all += plan.bytes();
    return all;
  }
  double seconds() const { return exchange_.seconds(); }
  void check(const core::Stream& stream) const { exchange_.check(stream); }

 private:
  Range own_planes() const { return division_.planes_of(rank_); }
  Range own_layers() const { return division_.layers_of(rank_); }
  /// Counted from the first plane or layer of this rank.
  Range piece_of_planes(int piece) const { return comm::part_of(own_planes().size(), pieces_, piece); }
  Range piece_of_layers(int piece) const { return comm::part_of(own_layers().size(), pieces_, piece); }

  /// With Transport::peer: sends what belongs to others of a piece, beside what follows on the stream.
  void store(bool backward, Range range, const core::Stream& stream) {
    if (exchange_.transport() != comm::Transport::peer) return;
    std::vector<gpu::SlabBlock> blocks;
    for (int r = 0; r < ranks_; ++r) blocks.push_back(division_.block(backward, rank_, r, range));
    exchange_.store(blocks, slab_.data(), stream);
  }

  GpuPlan<T>& plane_plan(std::int64_t planes) {
    const auto found = plans_.find(planes);
    if (found != plans_.end()) return found->second;
    return plans_.emplace(planes, GpuPlan<T>({{extents_.begin() + 1, extents_.end()}, planes})).first->second;
  }
  void transform_planes(const Point* in, Point* out, Range planes, bool backward, const core::Stream& stream) {
    const std::int64_t plane = division_.second * division_.inner, at = planes.begin * plane,
                       count = planes.size() * plane;
    const auto length = static_cast<std::size_t>(count);
    plane_plan(planes.size())
        .transform(backward ? Direction::backward : Direction::forward,
                   std::span(reinterpret_cast<const std::complex<T>*>(in + at), length),
                   std::span(reinterpret_cast<std::complex<T>*>(out + at), length), stream);
  }
  /// Transforms along the first axis.
  void transform_columns(const Point* in, Point* out, Range layers, bool backward, T scale,
                         const core::Stream& stream) {
    const std::int64_t inner = division_.inner, at = layers.begin * inner, lines = layers.size() * inner;
    const gpu::LineLayout layout{.element = own_layers().size() * inner, .count = {lines, 1}, .step = {1, 0, 0}};
    const T sign = backward ? T{-1} : T{1};
    line_->run({in + at, out + at, lines, layout, layout, sign, sign, scale}, line_work_.data(), stream);
  }

  int rank_, ranks_;
  std::vector<std::int64_t> extents_;
  gpu::SlabDivision division_;
  int pieces_;
  gpu::SlabExchange<T> exchange_;
  std::map<std::int64_t, GpuPlan<T>> plans_;  // by their number of planes
  gpu::Axes<T> columns_;
  const gpu::LineTransform<T>* line_ = nullptr;
  core::DeviceBuffer<Point> line_work_, slab_;
};

}  // namespace

template <class T>
struct GpuDistributedPlan<T>::Impl {
  Impl(const comm::Communicator& all, const Shape& of_array, const GpuDistributedOptions& options)
      : ranks(all),
        shape(checked(of_array)),
        tiles(slab_tiles(Kind::complex, shape, ranks.size())),
        division{shape.extents[0], shape.extents[1], shape.extents.size() == 3 ? shape.extents[2] : 1, ranks.size()},
        normalisation(options.normalisation),
        // A single rank stores into its own memory: slabs are not copied.
        transport(options.transport   ? *options.transport
                  : ranks.size() == 1 ? comm::Transport::peer
                                      : comm::fastest_transport(ranks)) {
    if (const auto reason = comm::transport_missing(ranks, transport))
      throw core::Unavailable("transport " + std::string(to_string(transport)) + ": " + *reason);
    if (transport == comm::Transport::peer && options.pieces == 0 && gpu::DirectSlabs<T>::supports(division))
      direct.emplace(ranks, division, core::Stream());
    else
      copied.emplace(ranks, shape, division, transport, options);
  }

  T scale(bool backward) const {
    return static_cast<T>(gpu::scale_of(normalisation, division.first * division.second * division.inner, backward));
  }
  /// Calls use() with whatever makes the transforms.
  template <class Use>
  auto with_slabs(const Use& use) {
    return direct ? use(*direct) : use(*copied);
  }

  const comm::Communicator& ranks;
  Shape shape;
  SlabTiles tiles;
  gpu::SlabDivision division;
  Normalisation normalisation;
  comm::Transport transport;
  std::optional<gpu::DirectSlabs<T>> direct;
  std::optional<CopiedSlabs<T>> copied;
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
  impl_->with_slabs([&](auto& slabs) {
    slabs.forward(gpu::device(array.data()), gpu::device(spectrum.data()), impl_->scale(false), stream);
  });
}
template <class T>
void GpuDistributedPlan<T>::backward(std::span<const Complex> spectrum, std::span<Complex> array,
                                     const core::Stream& stream) {
  gpu::require_span<T>(spectrum, spectrum_points(), "in");
  gpu::require_span<T>(array, array_points(), "out");
  require_disjoint(spectrum, array);
  impl_->with_slabs([&](auto& slabs) {
    slabs.backward(gpu::device(spectrum.data()), gpu::device(array.data()), impl_->scale(true), stream);
  });
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
  return impl_->division.array_points(impl_->ranks.rank());
}
template <class T>
std::int64_t GpuDistributedPlan<T>::spectrum_points() const {
  return impl_->division.spectrum_points(impl_->ranks.rank());
}
template <class T>
comm::Transport GpuDistributedPlan<T>::transport() const {
  return impl_->transport;
}
template <class T>
int GpuDistributedPlan<T>::pieces() const {
  return impl_->copied ? impl_->copied->pieces() : 0;
}
template <class T>
std::int64_t GpuDistributedPlan<T>::sent_bytes() const {
  return impl_->division.points_sent(impl_->ranks.rank(), false) * static_cast<std::int64_t>(sizeof(Complex));
}
template <class T>
double GpuDistributedPlan<T>::bytes() const {
  return impl_->with_slabs([](const auto& slabs) { return slabs.bytes(); });
}
template <class T>
double GpuDistributedPlan<T>::exchange_seconds() const {
  return impl_->with_slabs([](const auto& slabs) { return slabs.seconds(); });
}
template <class T>
void GpuDistributedPlan<T>::check(const core::Stream& stream) const {
  impl_->with_slabs([&](const auto& slabs) { slabs.check(stream); });
}

template class GpuDistributedPlan<float>;
template class GpuDistributedPlan<double>;

}  // namespace speedwell::fft

#include "speedwell/numerics/fft/ranks/slabs.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "speedwell/comm/timer.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/numerics/fft/argument_checks.hpp"

namespace speedwell::fft {
namespace {

/// A box of three axes that is divided along one of them.
std::vector<comm::Tile> slabs(const std::array<std::int64_t, 3>& extents, std::size_t axis, int ranks) {
  std::vector<comm::Tile> tiles(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    comm::Tile& tile = tiles[static_cast<std::size_t>(rank)];
    for (std::size_t a = 0; a < 3; ++a) tile.ranges[a] = {0, extents[a]};
    tile.ranges[axis] = comm::part_of(extents[axis], ranks, rank);
  }
  return tiles;
}

/// The number of pieces of an exchange. Messages below 64 KiB would take longer for their latency than for their bytes.
template <class T>
int pieces_of(const SlabTiles& tiles, const Shape& shape, int ranks, int wanted) {
  constexpr std::int64_t min_message_bytes = 65536, max_pieces = 4;
  if (wanted < 0)
    throw std::invalid_argument("fft: " + std::to_string(wanted) + " pieces of an exchange; 0 chooses the number");
  if (shape.extents.size() < 3) return 1;
  const std::int64_t last = tiles.planes[0].extent(2);
  if (wanted > 0) return static_cast<int>(std::min<std::int64_t>(wanted, last));
  const std::int64_t message = tiles.planes[0].size() / ranks * static_cast<std::int64_t>(sizeof(std::complex<T>));
  return static_cast<int>(std::clamp<std::int64_t>(message / min_message_bytes, 1, std::min(last, max_pieces)));
}

const Shape& checked(const Shape& shape, const DistributedOptions& options) {
  require_distributed_shape(shape);
  if (options.threads < 0)
    throw std::invalid_argument("fft: " + std::to_string(options.threads) + " threads; 0 takes all");
  return shape;
}

}  // namespace

void require_distributed_shape(const Shape& shape) {
  require_shape(shape);
  if (shape.extents.size() < 2)
    throw std::invalid_argument("fft: transforms on ranks have two or three extents, not one");
  if (shape.batch != 1)
    throw std::invalid_argument("fft: a batch of " + std::to_string(shape.batch) + " on ranks; only 1 is possible");
}

SlabTiles slab_tiles(Kind kind, const Shape& shape, int ranks) {
  std::array<std::int64_t, 3> extents{1, 1, 1};
  std::copy(shape.extents.begin(), shape.extents.end(), extents.end() - static_cast<int>(shape.extents.size()));
  std::array<std::int64_t, 3> spectrum = extents;
  if (kind == Kind::real) spectrum[2] = extents[2] / 2 + 1;
  const std::size_t first = 3 - shape.extents.size();
  const std::int64_t most = std::min(spectrum[first], spectrum[first + 1]);
  if (ranks > most)
    throw std::invalid_argument("fft: " + std::to_string(ranks) + " ranks for " + std::to_string(spectrum[first]) +
                                " x " + std::to_string(spectrum[first + 1]) +
                                " layers along the first two axes of the spectrum; at most " + std::to_string(most));
  return {slabs(extents, first, ranks), slabs(spectrum, first, ranks), slabs(spectrum, first + 1, ranks)};
}

Shape planes_of(const Shape& shape, const comm::Tile& tile) {
  Shape planes{{shape.extents.begin() + 1, shape.extents.end()}};
  planes.batch = tile.extent(static_cast<int>(3 - shape.extents.size()));
  return planes;
}

template <class T>
SlabTransform<T>::SlabTransform(const comm::Communicator& ranks, Kind kind, const Shape& shape,
                                const DistributedOptions& options)
    : ranks_(ranks),
      axes_(shape.extents.size()),
      tiles_(slab_tiles(kind, checked(shape, options), ranks.size())),
      transposed_(options.division == SpectrumDivision::second_axis),
      normalisation_(options.normalisation),
      first_extent_(shape.extents[0]),
      size_(1),
      columns_(shape.extents[0], core::resolve_threads(options.threads)),
      to_columns_(ranks, tiles_.planes, tiles_.columns, 2, pieces_of<T>(tiles_, shape, ranks.size(), options.pieces)),
      to_planes_(ranks, tiles_.columns, tiles_.planes, 2, to_columns_.pieces(), 64 + to_columns_.pieces()) {
  for (const std::int64_t n : shape.extents) size_ *= static_cast<double>(n);
  if (options.shared_memory)
    shared_ = comm::SharedMemory::allocate(ranks, static_cast<std::size_t>(whole_points()) * sizeof(Complex));
  if (shared_) return;
  planes_ = core::HostBuffer<T>(static_cast<std::size_t>(2 * tile_of(tiles_.planes).size()), core::Pages::large);
  column_slab_ = core::HostBuffer<T>(static_cast<std::size_t>(2 * tile_of(tiles_.columns).size()), core::Pages::large);
}

template <class T>
std::int64_t SlabTransform<T>::sent_bytes() const {
  return transposed_ ? to_columns_.sent_bytes() : to_columns_.sent_bytes() + to_planes_.sent_bytes();
}

template <class T>
double SlabTransform<T>::bytes() const {
  const auto complex_bytes = static_cast<double>(sizeof(Complex));
  const auto planes = static_cast<double>(tile_of(tiles_.planes).size()),
             lines = static_cast<double>(tile_of(tiles_.columns).size());
  if (shared_) return columns_.bytes() + complex_bytes * planes;
  // An exchange has a buffer for the points that are sent and one for those that are received.
  return columns_.bytes() + static_cast<double>(planes_.bytes() + column_slab_.bytes()) +
         2 * complex_bytes * (planes + lines);
}

template <class T>
std::int64_t SlabTransform<T>::whole_points() const {
  std::int64_t points = 0;
  for (const comm::Tile& tile : tiles_.planes) points += tile.size();
  return points;
}

template <class T>
std::span<std::complex<T>> SlabTransform<T>::planes() {
  if (!shared_) return complex_span(planes_);
  const comm::Tile& tile = tile_of(tiles_.planes);
  const auto& first = tile.ranges[3 - axes_];
  return {shared() + first.begin * (whole_points() / first_extent_), static_cast<std::size_t>(tile.size())};
}

template <class T>
typename SlabTransform<T>::StridedLines SlabTransform<T>::lines_of_piece(int piece) const {
  if (axes_ == 2) return lines_of_slab();
  const comm::Tile& tile = tile_of(tiles_.columns);
  const comm::Range range = to_columns_.piece(piece);
  return {range.begin,
          {.blocks = tile.extent(1),
           .count = range.size(),
           .element = tile.extent(1) * tile.extent(2),
           .block = tile.extent(2)}};
}
// The last two axes of a slab of three are contiguous, as the last one of a slab of two.
template <class T>
typename SlabTransform<T>::StridedLines SlabTransform<T>::lines_of_slab() const {
  const std::int64_t lines = tile_of(tiles_.columns).size() / first_extent_;
  return {0, {.count = lines, .element = lines}};
}
template <class T>
typename SlabTransform<T>::StridedLines SlabTransform<T>::shared_lines() const {
  const comm::Tile& tile = tile_of(tiles_.columns);
  const std::int64_t lines = tile.size() / first_extent_, inner = axes_ == 2 ? 1 : tile.extent(2);
  return {tile.ranges[4 - axes_].begin * inner, {.count = lines, .element = whole_points() / first_extent_}};
}

template <class T>
void SlabTransform<T>::transform_lines(const Complex* in, const StridedLines& of_in, Complex* out,
                                       const StridedLines& of_out, bool backward, const T* weights) {
  double scale = 1;
  if (normalisation_ == Normalisation::orthogonal) scale = 1 / std::sqrt(size_);
  if (normalisation_ == Normalisation::backward && backward) scale = 1 / size_;
  const std::int64_t array_bytes = 2 * whole_points() * static_cast<std::int64_t>(sizeof(Complex));
  columns_.transform(in + of_in.first, of_in.columns, out + of_out.first, of_out.columns, backward,
                     static_cast<T>(scale), array_bytes, weights);
}

template <class T>
void SlabTransform<T>::barrier() {
  const comm::Timer timer(exchange_seconds_);
  ranks_.barrier();
}

template <class T>
void SlabTransform<T>::start(Exchange& exchange, int piece, std::span<const Complex> from) {
  const comm::Timer timer(exchange_seconds_);
  exchange.start(piece, from);
}

template <class T>
void SlabTransform<T>::finish(Exchange& exchange, int piece, std::span<Complex> to) {
  const comm::Timer timer(exchange_seconds_);
  exchange.finish(piece, to);
}

template <class T>
void SlabTransform<T>::planes_to_spectrum(std::span<Complex> spectrum) {
  shared_ ? shared_to_spectrum(spectrum) : messages_to_spectrum(spectrum);
}
template <class T>
void SlabTransform<T>::spectrum_to_planes(std::span<const Complex> spectrum, const T* weights) {
  shared_ ? spectrum_to_shared(spectrum, weights) : spectrum_to_messages(spectrum, weights);
}

// Other ranks read and write the planes of this one between two barriers alone: after a transform a rank may overwrite
// its own planes at once.
template <class T>
void SlabTransform<T>::shared_to_spectrum(std::span<Complex> spectrum) {
  barrier();
  const StridedLines lines = shared_lines();
  if (transposed_)
    transform_lines(shared(), lines, spectrum.data(), lines_of_slab(), false);
  else
    transform_lines(shared(), lines, shared(), lines, false);
  barrier();
  if (transposed_) return;
  const std::span<Complex> from = planes();
  std::copy(from.begin(), from.end(), spectrum.begin());
}
template <class T>
void SlabTransform<T>::spectrum_to_shared(std::span<const Complex> spectrum, const T* weights) {
  if (!transposed_) std::copy(spectrum.begin(), spectrum.end(), planes().begin());
  barrier();
  const StridedLines lines = shared_lines();
  if (transposed_)
    transform_lines(spectrum.data(), lines_of_slab(), shared(), lines, true, weights);
  else
    transform_lines(shared(), lines, shared(), lines, true, weights);
  barrier();
}

template <class T>
void SlabTransform<T>::messages_to_spectrum(std::span<Complex> spectrum) {
  const int pieces = to_columns_.pieces();
  const std::span<Complex> columns = transposed_ ? spectrum : complex_span(column_slab_);
  for (int p = 0; p < pieces; ++p) start(to_columns_, p, planes());
  for (int p = 0; p < pieces; ++p) {
    finish(to_columns_, p, columns);
    const StridedLines lines = lines_of_piece(p);
    transform_lines(columns.data(), lines, columns.data(), lines, false);
    to_columns_.progress();
    if (!transposed_) start(to_planes_, p, columns);
  }
  if (transposed_) return;
  for (int p = 0; p < pieces; ++p) finish(to_planes_, p, spectrum);
}
template <class T>
void SlabTransform<T>::spectrum_to_messages(std::span<const Complex> spectrum, const T* weights) {
  const int pieces = to_columns_.pieces();
  const std::span<Complex> columns = complex_span(column_slab_);
  if (!transposed_)
    for (int p = 0; p < pieces; ++p) start(to_columns_, p, spectrum);
  for (int p = 0; p < pieces; ++p) {
    if (!transposed_) finish(to_columns_, p, columns);
    const StridedLines lines = lines_of_piece(p);
    transform_lines(transposed_ ? spectrum.data() : columns.data(), lines, columns.data(), lines, true, weights);
    start(to_planes_, p, columns);
    to_planes_.progress();
  }
  for (int p = 0; p < pieces; ++p) finish(to_planes_, p, planes());
}

template class SlabTransform<float>;
template class SlabTransform<double>;

}  // namespace speedwell::fft

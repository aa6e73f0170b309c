// The division of an array and of its spectrum in slabs, and the half of a distributed transform that complex and real
// plans share: the exchange between slabs, and the transforms along the first axis. Ranks of one host have the planes
// of all in memory that they share: there the lines along the first axis are read and written where they are, between
// two barriers. Otherwise messages exchange slabs, in pieces.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/comm/redistribution.hpp"
#include "speedwell/comm/shared_memory.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/numerics/fft/cpu/column_plan.hpp"
#include "speedwell/numerics/fft/cpu/rows.hpp"
#include "speedwell/numerics/fft/ranks/distributed.hpp"

namespace speedwell::fft {

/// Throws std::invalid_argument for a shape that cannot be divided among ranks, however few.
void require_distributed_shape(const Shape& shape);

/// The tiles of all ranks. Arrays of two axes have a first axis of extent 1 in tiles.
struct SlabTiles {
  std::vector<comm::Tile> array;   // points or reals of the array
  std::vector<comm::Tile> planes;  // of the spectrum, divided as the array is: transformed along all axes but the first
  std::vector<comm::Tile> columns;  // of the spectrum, divided along the second axis
};
/// Throws std::invalid_argument as the constructors of distributed.hpp.
SlabTiles slab_tiles(Kind kind, const Shape& shape, int ranks);

/// The shape of the part of an array that a rank has in a tile, as a batch without the first axis.
Shape planes_of(const Shape& shape, const comm::Tile& tile);

/// Calls check() on this rank. Collective: throws std::invalid_argument on all ranks if it did on one.
template <class Check>
void require_on_all(const comm::Communicator& ranks, const Check& check) {
  std::string reason;
  try {
    check();
  } catch (const std::invalid_argument& error) {
    reason = error.what();
  }
  if (ranks.reduce(std::int64_t{reason.empty() ? 1 : 0}, comm::Reduction::minimum) == 1) return;
  throw std::invalid_argument(reason.empty() ? "fft: another rank passed spans of a wrong size" : reason);
}

template <class T>
class SlabTransform {
 public:
  using Complex = std::complex<T>;

  SlabTransform(const comm::Communicator& ranks, Kind kind, const Shape& shape, const DistributedOptions& options);

  const std::vector<comm::Tile>& array_tiles() const { return tiles_.array; }
  const std::vector<comm::Tile>& spectrum_tiles() const { return transposed_ ? tiles_.columns : tiles_.planes; }
  const comm::Tile& array_tile() const { return tile_of(tiles_.array); }
  const comm::Tile& spectrum_tile() const { return tile_of(spectrum_tiles()); }
  const comm::Communicator& ranks() const { return ranks_; }
  std::int64_t sent_bytes() const;
  double bytes() const;
  double exchange_seconds() const { return exchange_seconds_; }
  bool shares_memory() const { return shared_.has_value(); }

  /// Points of the spectrum that are transformed along all axes but the first, in work space of this object.
  std::span<Complex> planes();
  /// From planes() to the spectrum.
  void planes_to_spectrum(std::span<Complex> spectrum);
  /// From the spectrum to planes(), which are then to be transformed backward. `weights`: a factor for each index of
  /// the first axis, with which the spectrum is multiplied, or null.
  void spectrum_to_planes(std::span<const Complex> spectrum, const T* weights = nullptr);

 private:
  using Exchange = comm::Redistribution<Complex>;

  static std::span<Complex> complex_span(core::HostBuffer<T>& reals) {
    return {reinterpret_cast<Complex*>(reals.data()), reals.size() / 2};
  }
  const comm::Tile& tile_of(const std::vector<comm::Tile>& tiles) const {
    return tiles[static_cast<std::size_t>(ranks_.rank())];
  }
  /// Lines along the first axis: the index of the first point of the first one, and the distances to the others.
  struct StridedLines {
    std::int64_t first;
    Columns columns;
  };
  /// Those of a piece of a slab along the second axis, all of them, and these in the memory that ranks share.
  StridedLines lines_of_piece(int piece) const;
  StridedLines lines_of_slab() const;
  StridedLines shared_lines() const;
  void transform_lines(const Complex* in, const StridedLines& of_in, Complex* out, const StridedLines& of_out,
                       bool backward, const T* weights = nullptr);

  /// Points of the spectrum of the whole array.
  std::int64_t whole_points() const;
  /// The planes of all ranks.
  Complex* shared() const { return reinterpret_cast<Complex*>(shared_->data()); }
  void barrier();
  void start(Exchange& exchange, int piece, std::span<const Complex> from);
  void finish(Exchange& exchange, int piece, std::span<Complex> to);
  void shared_to_spectrum(std::span<Complex> spectrum);
  void spectrum_to_shared(std::span<const Complex> spectrum, const T* weights);
  void messages_to_spectrum(std::span<Complex> spectrum);
  void spectrum_to_messages(std::span<const Complex> spectrum, const T* weights);

  const comm::Communicator& ranks_;
  std::size_t axes_;
  SlabTiles tiles_;
  bool transposed_;  // whether the spectrum stays divided along the second axis
  Normalisation normalisation_;
  std::int64_t first_extent_;
  double size_;  // N of the normalisation
  ColumnPlan<T> columns_;
  Exchange to_columns_, to_planes_;
  std::optional<comm::SharedMemory> shared_;
  core::HostBuffer<T> planes_, column_slab_;  // without it; pages that no kind of transform needs stay untouched
  double exchange_seconds_ = 0;
};

extern template class SlabTransform<float>;
extern template class SlabTransform<double>;

}  // namespace speedwell::fft

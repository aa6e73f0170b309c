#include "speedwell/apps/wavefront/distributed.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/wavefront/chunks.hpp"
#include "speedwell/apps/wavefront/faces.hpp"
#include "speedwell/apps/wavefront/kernels.hpp"

namespace speedwell::wavefront {
namespace {

constexpr std::int64_t most_face_bytes = std::int64_t{1} << 30;

constexpr int along_x = 0, along_y = 1;  // tags

std::int64_t rounded_up(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

const Extents& valid(const Extents& extents) {
  require_valid(extents);
  return extents;
}

}  // namespace

std::int64_t chosen_chunk(const Extents& block, int px, int py, int lanes, std::int64_t loops) {
  // A chunk's messages take as long as some 800 steps of a plane of Listing 1, whose work grows with the loops.
  const int planes = ribbon_planes(lanes);
  const std::int64_t messages = px * py > 1 ? 800 : 0, step = planes * (1 + loops);
  const std::int64_t ribbons = rounded_up(block.nx, planes) / planes;
  const std::int64_t vectors = rounded_up(block.ny, lanes) / lanes;
  std::int64_t best = block.nz, least = std::numeric_limits<std::int64_t>::max();
  // A chunk of whole vectors, two at least, leaves no lane without a cell between its rows. Where rows end and begin,
  // some two vectors of steps take as long as four.
  for (std::int64_t period = 2 * lanes; period < block.nz + lanes; period += lanes) {
    const std::int64_t chunk = std::min(period, block.nz);
    const std::int64_t stages = (block.nz + chunk - 1) / chunk + px + py - 2;
    const std::int64_t steps = vectors * (period + 2 * lanes) + lanes + planes - 2;
    if (const std::int64_t time = stages * (ribbons * steps * step + messages); time < least) {
      least = time;
      best = chunk;
    }
  }
  return best;
}

template <class T>
DistributedSweep<T>::DistributedSweep(const comm::Communicator& ranks, const Extents& whole,
                                      const Recurrence<T>& recurrence, const Direction& direction,
                                      const DistributedOptions& options)
    : ranks_(ranks),
      whole_(valid(whole)),
      recurrence_(recurrence),
      direction_(direction),
      isa_(options.isa),
      division_(ranks.size(), whole.nx, whole.ny, options.ranks_x),
      block_(extents_of(ranks.rank())) {
  require_valid(recurrence);
  if (options.chunk < 0) throw std::invalid_argument("a chunk is not negative");
  const Extents largest = extents_of(0);
  const int lanes = kernels_of<T>(isa_).lanes;
  chunk_ = options.chunk > 0 ? std::min(options.chunk, whole.nz)
                             : chosen_chunk(largest, division_.px(), division_.py(), lanes, recurrence.loops);
  if (ranks.size() > 1 &&
      chunk_ > most_face_bytes / static_cast<std::int64_t>(sizeof(T)) / std::max(largest.nx, largest.ny))
    throw std::invalid_argument("chunks of " + std::to_string(chunk_) + " cells: their faces pass 2^30 bytes");
}

template <class T>
Extents DistributedSweep<T>::extents_of(int rank) const {
  return {division_.x_range(rank).size(), division_.y_range(rank).size(), whole_.nz};
}

template <class T>
void DistributedSweep<T>::sweep() {
  const auto& [nx, ny, nz] = block_.extents;
  const int x = division_.x_of(ranks_.rank()), y = division_.y_of(ranks_.rank());
  const int step_x = direction_.down_x ? -1 : 1, step_y = direction_.down_y ? -1 : 1;
  T* const cells = block_.cells.data();
  const std::int64_t last_plane = direction_.down_x ? 0 : nx - 1, last_row = direction_.down_y ? 0 : ny - 1;
  FaceInflow<T> west(ranks_, division_.rank_at(x - step_x, y), along_x, {block_.planes.west.data(), ny, nz}, chunk_);
  FaceInflow<T> north(ranks_, division_.rank_at(x, y - step_y), along_y, {block_.planes.north.data(), nx, nz}, chunk_);
  FaceOutflow<T> east(ranks_, division_.rank_at(x + step_x, y), along_x, {cells + last_plane * ny * nz, ny, nz},
                      chunk_);
  FaceOutflow<T> south(ranks_, division_.rank_at(x, y + step_y), along_y, {cells + last_row * nz, nx, ny * nz}, chunk_);

  const std::int64_t chunks = (nz + chunk_ - 1) / chunk_;
  const auto part = [&](std::int64_t c) {
    const std::int64_t first = c * chunk_, count = std::min(chunk_, nz - first);
    return Stretch{direction_.down_z ? nz - first - count : first, count};
  };
  const auto expect = [&](std::int64_t c) {
    if (c >= chunks) return;
    west.start(c, part(c));
    north.start(c, part(c));
  };
  // A look at one message that is under way lets all of them go on.
  const auto let_travel = [&] { (void)(east.ended() && south.ended() && west.ended() && north.ended()); };
  Chunks<T> columns(block_, recurrence_, direction_, isa_);
  expect(0);
  for (std::int64_t c = 0; c < chunks; ++c) {
    expect(c + 1);
    west.finish(c, part(c));
    north.finish(c, part(c));
    columns.sweep(part(c).count, let_travel);
    east.start(c, part(c));
    south.start(c, part(c));
  }
  east.finish();
  south.finish();
}

template <class T>
template <class Move>
void DistributedSweep<T>::each_plane(int rank, const Move& move) const {
  const auto [nx, ny, nz] = extents_of(rank);
  const std::int64_t x0 = division_.x_range(rank).begin, y0 = division_.y_range(rank).begin;
  for (std::int64_t i = 0; i < nx; ++i) move(((x0 + i) * whole_.ny + y0) * nz, i * ny * nz, ny * nz);
}

template <class T>
void DistributedSweep<T>::scatter(const Grid<T>* whole) {
  const bool root = ranks_.rank() == 0;
  for (int r = 0; r < ranks_.size(); ++r) {
    if (!root && r != ranks_.rank()) continue;
    // `count` values that lie together in both: from `first` of the root's to `place` of the rank's.
    const auto give = [&](const core::HostBuffer<T>* from, std::int64_t first, core::HostBuffer<T>& to,
                          std::int64_t place, std::int64_t count) {
      if (!root)
        ranks_.receive(std::span<T>(to.data() + place, static_cast<std::size_t>(count)), 0);
      else if (r > 0)
        ranks_.send(std::span<const T>(from->data() + first, static_cast<std::size_t>(count)), r);
      else
        std::copy_n(from->data() + first, count, to.data() + place);
    };
    const auto [nx, ny, nz] = extents_of(r);
    const std::int64_t x0 = division_.x_range(r).begin, y0 = division_.y_range(r).begin;
    each_plane(r, [&](std::int64_t first, std::int64_t place, std::int64_t count) {
      give(root ? &whole->cells : nullptr, first, block_.cells, place, count);
    });
    for (std::int64_t i = 0; i < nx; ++i)
      give(root ? &whole->planes.top : nullptr, (x0 + i) * whole_.ny + y0, block_.planes.top, i * ny, ny);
    give(root ? &whole->planes.north : nullptr, x0 * nz, block_.planes.north, 0, nx * nz);
    give(root ? &whole->planes.west : nullptr, y0 * nz, block_.planes.west, 0, ny * nz);
  }
}

template <class T>
void DistributedSweep<T>::gather(Grid<T>* whole) const {
  const bool root = ranks_.rank() == 0;
  for (int r = 0; r < ranks_.size(); ++r) {
    if (!root && r != ranks_.rank()) continue;
    each_plane(r, [&](std::int64_t first, std::int64_t place, std::int64_t count) {
      if (!root)
        ranks_.send(std::span<const T>(block_.cells.data() + place, static_cast<std::size_t>(count)), 0);
      else if (r > 0)
        ranks_.receive(std::span<T>(whole->cells.data() + first, static_cast<std::size_t>(count)), r);
      else
        std::copy_n(block_.cells.data() + place, count, whole->cells.data() + first);
    });
  }
}

template class DistributedSweep<float>;
template class DistributedSweep<double>;

}  // namespace speedwell::wavefront

#include "speedwell/apps/wavefront/distributed.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
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

std::int64_t parts(std::int64_t cells, std::int64_t of) { return (cells + of - 1) / of; }

/// What a piece of so many planes, rows and cells along z costs, in steps of a plane of Listing 1, whose work grows
/// with the loops. A piece's messages take as long as some 800 of them. Where rows end and begin, some two vectors of
/// steps take as long as four.
std::int64_t cost_of_piece(const Extents& piece, int lanes, std::int64_t loops, bool sends) {
  const int planes = ribbon_planes(lanes);
  const std::int64_t period = std::max<std::int64_t>(rounded_up(piece.nz, lanes), 2 * lanes);
  const std::int64_t steps = parts(piece.ny, lanes) * (period + 2 * lanes) + lanes + planes - 2;
  return parts(piece.nx, planes) * steps * planes * (1 + loops) + (sends ? 800 : 0);
}

/// The length of a piece, a multiple of `unit` or all there is, with the least cost_of(length).
template <class Cost>
std::pair<std::int64_t, std::int64_t> cheapest(std::int64_t all, std::int64_t unit, const Cost& cost_of) {
  std::pair<std::int64_t, std::int64_t> best{all, cost_of(all)};
  for (std::int64_t length = unit; length < all; length += unit)
    if (const std::int64_t cost = cost_of(length); cost < best.second) best = {length, cost};
  return best;
}

}  // namespace

Pipeline chosen_pipeline(const Extents& whole, int ranks, int lanes, std::int64_t loops,
                         const DistributedOptions& options) {
  if (options.chunk < 0 || options.strip < 0) throw std::invalid_argument("a chunk or strip is not negative");
  if (options.chunk > 0 && options.strip > 0) throw std::invalid_argument("a piece is a chunk or a strip, not both");
  if (options.strip > 0 && options.ranks_x != 0 && options.ranks_x != ranks)
    throw std::invalid_argument("strips of rows need all ranks along x");
  const bool several = ranks > 1, in_strips = options.strip > 0;
  const comm::Cartesian2d in_both(ranks, whole.nx, whole.ny, in_strips ? ranks : options.ranks_x);
  const int px = in_both.px(), py = in_both.py();
  // Two vectors at least leave no lane without a cell between its rows.
  const auto [chunk, cost_of_chunks] = cheapest(whole.nz, 2 * lanes, [&](std::int64_t length) {
    return (parts(whole.nz, length) + px + py - 2) *
           cost_of_piece({in_both.x_range(0).size(), in_both.y_range(0).size(), length}, lanes, loops, several);
  });
  if (options.chunk > 0) return {.px = px, .chunk = std::min(options.chunk, whole.nz)};
  if (in_strips) return {.px = px, .strip = std::min(options.strip, whole.ny)};
  if (!several || ranks > whole.nx || (options.ranks_x != 0 && options.ranks_x != ranks))
    return {.px = px, .chunk = chunk};
  const auto [strip, cost_of_strips] = cheapest(whole.ny, lanes, [&](std::int64_t length) {
    return (parts(whole.ny, length) + ranks - 1) *
           cost_of_piece({parts(whole.nx, ranks), length, whole.nz}, lanes, loops, several);
  });
  if (cost_of_strips < cost_of_chunks) return {.px = ranks, .strip = strip};
  return {.px = px, .chunk = chunk};
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
      pipeline_(chosen_pipeline(whole, ranks.size(), kernels_of<T>(isa_).lanes, recurrence.loops, options)),
      division_(ranks.size(), whole.nx, whole.ny, pipeline_.px),
      block_(extents_of(ranks.rank())) {
  require_valid(recurrence);
  const Extents largest = extents_of(0);
  const double face = pipeline_.strip > 0 ? static_cast<double>(pipeline_.strip) * static_cast<double>(whole.nz)
                                          : static_cast<double>(pipeline_.chunk) *
                                                static_cast<double>(std::max(largest.nx, largest.ny));
  if (ranks.size() > 1 && face * sizeof(T) > most_face_bytes)
    throw std::invalid_argument("pieces whose faces pass 2^30 bytes: they are to be shorter");
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

  // Pieces along z, or along y; whole rows of a plane lie together and travel as one.
  const bool strips = pipeline_.strip > 0, down = strips ? direction_.down_y : direction_.down_z;
  const std::int64_t length = strips ? pipeline_.strip : pipeline_.chunk, all = strips ? ny : nz;
  const std::int64_t together = strips ? nz : 1, pieces = parts(all, length);
  const auto range = [&](std::int64_t n) { return comm::Range{n * length, std::min((n + 1) * length, all)}; };
  const auto part = [&](std::int64_t n) {
    const auto [begin, end] = range(n);
    return Stretch{(down ? all - end : begin) * together, (end - begin) * together};
  };
  const auto plane_face = [&](T* first) { return strips ? FaceRows<T>{first, 1, 0} : FaceRows<T>{first, ny, nz}; };
  const std::int64_t longest = length * together;
  FaceInflow<T> west(ranks_, division_.rank_at(x - step_x, y), along_x, plane_face(block_.planes.west.data()), longest);
  FaceInflow<T> north(ranks_, division_.rank_at(x, y - step_y), along_y, {block_.planes.north.data(), nx, nz}, longest);
  const FaceRows<T> last = plane_face(cells + last_plane * ny * nz);
  FaceOutflow<T> east(ranks_, division_.rank_at(x + step_x, y), along_x, {last.first, last.rows, last.stride}, longest);
  FaceOutflow<T> south(ranks_, division_.rank_at(x, y + step_y), along_y, {cells + last_row * nz, nx, ny * nz},
                       longest);

  const auto expect = [&](std::int64_t n) {
    if (n >= pieces) return;
    west.start(n, part(n));
    north.start(n, part(n));
  };
  // A look at one message that is under way lets all of them go on.
  const auto let_travel = [&] { (void)(east.ended() && south.ended() && west.ended() && north.ended()); };
  std::optional<Chunks<T>> columns;
  if (!strips) columns.emplace(block_, recurrence_, direction_, isa_, comm::Range{0, ny});
  expect(0);
  for (std::int64_t n = 0; n < pieces; ++n) {
    expect(n + 1);
    west.finish(n, part(n));
    north.finish(n, part(n));
    if (strips)
      Chunks<T>(block_, recurrence_, direction_, isa_, range(n)).sweep(nz, let_travel);
    else
      columns->sweep(part(n).count, let_travel);
    east.start(n, part(n));
    south.start(n, part(n));
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

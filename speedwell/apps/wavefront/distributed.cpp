#include "speedwell/apps/wavefront/distributed.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/wavefront/cpu/kernels.hpp"
#include "speedwell/apps/wavefront/cpu/row_chunks.hpp"
#include "speedwell/apps/wavefront/cpu/z_chunk_sweep.hpp"
#include "speedwell/apps/wavefront/faces.hpp"
#include "speedwell/apps/wavefront/ranks/shared_faces.hpp"

namespace speedwell::wavefront {
namespace {

constexpr std::int64_t max_face_bytes = std::int64_t{1} << 30;

constexpr int along_x = 0, along_y = 1;  // message tags

const Extents& valid(const Extents& extents) {
  require_valid(extents);
  return extents;
}

/// The range of memory that holds `part` of `all` cells or rows, which is given in the order of the sweep.
comm::Range in_memory(const comm::Range& part, std::int64_t all, bool down) {
  return down ? comm::Range{all - part.end, all - part.begin} : part;
}

bool can_share_memory(const comm::Communicator& ranks) {
  return ranks.size() > 1 && comm::SharedMemory::allocate(ranks, 1).has_value();
}

template <class T>
FaceRows<const T> last_plane(const Grid<T>& block, const Direction& direction) {
  const auto& [nx, ny, nz] = block.extents;
  return {block.cells.data() + (direction.down_x ? 0 : nx - 1) * ny * nz, nz};
}

}  // namespace

template <class T>
DistributedSweep<T>::DistributedSweep(const comm::Communicator& ranks, const Extents& whole,
                                      const Recurrence<T>& recurrence, const Direction& direction,
                                      const DistributedOptions& options)
    : ranks_(ranks),
      whole_(valid(whole)),
      recurrence_(recurrence),
      direction_(direction),
      isa_(options.isa),
      pipeline_(chosen_pipeline(whole, ranks.size(), kernels_of<T>(isa_).lanes, sizeof(T), recurrence.loops, options,
                                can_share_memory(ranks))),
      division_(division_of(whole, ranks.size(), pipeline_.px)),
      block_(extents_of(ranks.rank())) {
  require_valid(recurrence);
  const std::int64_t face = std::max(max_face(along_x), max_face(along_y));
  if (ranks.size() > 1 && face > max_face_bytes / static_cast<std::int64_t>(sizeof(T)))
    throw std::invalid_argument("the faces of a pipeline chunk exceed 2^30 bytes: chunks must be shorter");
  if (ranks.size() > 1) shared_ = share_faces();
}

template <class T>
std::int64_t DistributedSweep<T>::max_face(int axis) const {
  const Extents largest = extents_of(0);
  if (pipeline_.row_chunk == 0) return pipeline_.z_chunk * (axis == along_x ? largest.ny : largest.nx);
  const RowChunks row_chunks(largest.ny, largest.nz, kernels_of<T>(isa_).lanes, pipeline_.row_chunk);
  return axis == along_x ? row_chunks.max_cells() : 0;
}

template <class T>
std::shared_ptr<SharedFaces> DistributedSweep<T>::share_faces() const {
  std::vector<comm::Channel> channels;
  std::array<std::optional<std::size_t>, 2> in, out;
  for (int rank = 0; rank < ranks_.size(); ++rank)
    for (const int axis : {along_x, along_y}) {
      const std::optional<int> to = axis == along_x ? neighbour(rank, 1, 0) : neighbour(rank, 0, 1);
      if (!to) continue;
      if (rank == ranks_.rank()) out[static_cast<std::size_t>(axis)] = channels.size();
      if (*to == ranks_.rank()) in[static_cast<std::size_t>(axis)] = channels.size();
      const std::size_t bytes = static_cast<std::size_t>(max_face(axis)) * sizeof(T);
      channels.push_back({rank, *to, bytes, chunks_on_their_way(bytes)});
    }
  auto created = comm::SharedChannels::create(ranks_, channels);
  if (!created) return {};
  return std::make_shared<SharedFaces>(SharedFaces{std::move(*created), in, out});
}

template <class T>
Extents DistributedSweep<T>::extents_of(int rank) const {
  const comm::Tile tile = division_.tile(rank);
  return {tile.extent(0), tile.extent(1), whole_.nz};
}

template <class T>
std::optional<int> DistributedSweep<T>::neighbour(int rank, int further_x, int further_y) const {
  return division_.neighbor(
      rank, {direction_.down_x ? -further_x : further_x, direction_.down_y ? -further_y : further_y, 0});
}

template <class T>
void DistributedSweep<T>::sweep() {
  const std::int64_t ny = block_.extents.ny, nz = block_.extents.nz, last_row = direction_.down_y ? 0 : ny - 1;
  const FaceRows<T> west{block_.planes.west.data(), nz}, north{block_.planes.north.data(), nz};
  const FaceRows<const T> east = last_plane(block_, direction_), south{block_.cells.data() + last_row * nz, ny * nz};
  const auto sweep_with = [&](auto from_west, auto from_north, auto to_east, auto to_south) {
    pipeline_.row_chunk > 0 ? sweep_row_chunks(from_west, to_east)
                            : sweep_z_chunks(from_west, from_north, to_east, to_south);
  };
  if (shared_)
    return sweep_with(SharedInflow<T>(*shared_, along_x, west), SharedInflow<T>(*shared_, along_y, north),
                      SharedOutflow<T>(*shared_, along_x, east), SharedOutflow<T>(*shared_, along_y, south));
  const int own = ranks_.rank();
  const std::int64_t of_x = max_face(along_x), of_y = max_face(along_y);
  sweep_with(FaceInflow<T>(ranks_, neighbour(own, -1, 0), along_x, west, of_x),
             FaceInflow<T>(ranks_, neighbour(own, 0, -1), along_y, north, of_y),
             FaceOutflow<T>(ranks_, neighbour(own, 1, 0), along_x, east, of_x),
             FaceOutflow<T>(ranks_, neighbour(own, 0, 1), along_y, south, of_y));
}

template <class T>
template <class Inflow, class Outflow>
void DistributedSweep<T>::sweep_z_chunks(Inflow& west, Inflow& north, Outflow& east, Outflow& south) {
  const auto& [nx, ny, nz] = block_.extents;
  const std::int64_t length = pipeline_.z_chunk, chunks = ceil_div(nz, length);

  const auto part = [&](std::int64_t rows, std::int64_t n) {
    return FacePart{{0, rows}, in_memory({n * length, std::min((n + 1) * length, nz)}, nz, direction_.down_z)};
  };
  const auto expect = [&](std::int64_t n) {
    if (n >= chunks) return;
    west.start(n, part(ny, n));
    north.start(n, part(nx, n));
  };
  // Testing one message lets all pending ones progress.
  const auto progress_messages = [&] { (void)(east.ended() && south.ended() && west.ended() && north.ended()); };
  ZChunkSweep<T> columns(PlaneGroups<T>(block_, recurrence_, direction_, isa_));
  expect(0);
  for (std::int64_t n = 0; n < chunks; ++n) {
    expect(n + 1);
    west.finish(n, part(ny, n));
    north.finish(n, part(nx, n));
    columns.sweep(part(1, n).count(), progress_messages);
    east.start(n, part(ny, n));
    south.start(n, part(nx, n));
  }
  east.finish();
  south.finish();
}

template <class T>
template <class Inflow, class Outflow>
void DistributedSweep<T>::sweep_row_chunks(Inflow& west, Outflow& east) {
  const std::int64_t ny = block_.extents.ny, nz = block_.extents.nz;
  const RowChunks row_chunks(ny, nz, kernels_of<T>(isa_).lanes, pipeline_.row_chunk);

  const auto part = [&](std::int64_t n) {
    const auto& [rows, cells] = row_chunks[n];
    return FacePart{in_memory(rows, ny, direction_.down_y), in_memory(cells, nz, direction_.down_z)};
  };
  const auto expect = [&](std::int64_t n) {
    if (n < row_chunks.count()) west.start(n, part(n));
  };
  const auto progress_messages = [&] { (void)(east.ended() && west.ended()); };
  RowChunkSweep<T> plane_groups(PlaneGroups<T>(block_, recurrence_, direction_, isa_));
  expect(0);
  for (std::int64_t n = 0, sent = 0; sent < row_chunks.count(); ++n) {
    expect(n + 1);
    if (n < row_chunks.count()) west.finish(n, part(n));
    const std::int64_t end = plane_groups.sweep_behind(row_chunks.end(n), progress_messages);
    for (; sent < row_chunks.count() && row_chunks.end(sent) <= end; ++sent) east.start(sent, part(sent));
  }
  east.finish();
}

template <class T>
template <class Move>
void DistributedSweep<T>::each_plane(int rank, const Move& move) const {
  const auto [nx, ny, nz] = extents_of(rank);
  const std::int64_t x0 = division_.tile(rank).ranges[0].begin, y0 = division_.tile(rank).ranges[1].begin;
  for (std::int64_t i = 0; i < nx; ++i) move(((x0 + i) * whole_.ny + y0) * nz, i * ny * nz, ny * nz);
}

template <class T>
void DistributedSweep<T>::scatter(const Grid<T>* whole) {
  const bool root = ranks_.rank() == 0;
  for (int r = 0; r < ranks_.size(); ++r) {
    if (!root && r != ranks_.rank()) continue;
    // Copies `count` contiguous values from offset `first` of rank 0's buffer to `offset` of this rank's.
    const auto give = [&](const core::HostBuffer<T>* from, std::int64_t first, core::HostBuffer<T>& to,
                          std::int64_t offset, std::int64_t count) {
      if (!root)
        ranks_.receive(std::span<T>(to.data() + offset, static_cast<std::size_t>(count)), 0);
      else if (r > 0)
        ranks_.send(std::span<const T>(from->data() + first, static_cast<std::size_t>(count)), r);
      else
        std::copy_n(from->data() + first, count, to.data() + offset);
    };
    const auto [nx, ny, nz] = extents_of(r);
    const std::int64_t x0 = division_.tile(r).ranges[0].begin, y0 = division_.tile(r).ranges[1].begin;
    each_plane(r, [&](std::int64_t first, std::int64_t offset, std::int64_t count) {
      give(root ? &whole->cells : nullptr, first, block_.cells, offset, count);
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
    each_plane(r, [&](std::int64_t first, std::int64_t offset, std::int64_t count) {
      if (!root)
        ranks_.send(std::span<const T>(block_.cells.data() + offset, static_cast<std::size_t>(count)), 0);
      else if (r > 0)
        ranks_.receive(std::span<T>(whole->cells.data() + first, static_cast<std::size_t>(count)), r);
      else
        std::copy_n(block_.cells.data() + offset, count, whole->cells.data() + first);
    });
  }
}

template class DistributedSweep<float>;
template class DistributedSweep<double>;

}  // namespace speedwell::wavefront

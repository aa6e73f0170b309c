#include "speedwell/apps/blast_wave/ranks/slab.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "speedwell/comm/timer.hpp"

namespace speedwell::blast_wave {
namespace {

std::int64_t tiles_of(const Extents& e) { return rounded(e.points()) / tile; }

std::vector<comm::Range> tiles_of_ranks(const Extents& e, int ranks) {
  std::vector<comm::Range> all;
  for (int r = 0; r < ranks; ++r) all.push_back(comm::part_of(tiles_of(e), ranks, r));
  return all;
}

}  // namespace

comm::Range points_of_rank(const Extents& e, int ranks, int rank) {
  const comm::Range own = comm::part_of(tiles_of(e), ranks, rank);
  return {std::min(own.begin * tile, e.points()), std::min(own.end * tile, e.points())};
}

void require_divisible(const Extents& e, int ranks) {
  const std::int64_t needed = halo_planes * e.nx * e.ny;
  // The last rank has the fewest points.
  if (ranks <= 1 || points_of_rank(e, ranks, ranks - 1).size() >= needed) return;
  throw std::invalid_argument("on " + std::to_string(ranks) + " ranks one has " +
                              std::to_string(points_of_rank(e, ranks, ranks - 1).size()) +
                              " points of the box, and each needs two planes, " + std::to_string(needed));
}

Slab::Slab(const Extents& e, int ranks, int rank)
    : extents_(e),
      points_(points_of_rank(e, ranks, rank)),
      plane_(static_cast<int>(e.nx * e.ny)),
      tiles_(static_cast<int>(comm::part_of(tiles_of(e), ranks, rank).size())),
      rank_(rank),
      sums_(tiles_of_ranks(e, ranks)) {
  const auto nx = static_cast<int>(e.nx), ny = static_cast<int>(e.ny);
  if (ranks == 1) {
    const auto n = static_cast<int>(e.points());
    mesh_ = {{nx, ny, static_cast<int>(e.nz)}, n, static_cast<int>(rounded(n))};
    return;
  }
  // Whole planes: the first and the last own point may lie in the middle of one.
  const std::int64_t first = points_.begin / plane_, last = (points_.end - 1) / plane_;
  const auto planes = static_cast<int>(last - first) + 1 + 2 * halo_planes;
  const int n = planes * plane_;
  mesh_ = {{nx, ny, planes},
           n,
           static_cast<int>(rounded(n)) + tile,
           static_cast<int>(points_.begin - (first - halo_planes) * plane_)};
}

Slab::Slab(const Extents& e) : Slab(e, 1, 0) {}

Slab::Slab(const comm::Communicator& ranks, const Extents& e) : Slab(e, ranks.size(), ranks.rank()) {
  require_divisible(e, ranks.size());
  if (ranks.size() > 1) ranks_.emplace(ranks.split(0, ranks.rank()));
}

comm::Range Slab::inner_tiles() const {
  if (!is_divided()) return {0, tiles_};
  const std::int64_t begin = (plane_ + tile - 1) / tile, end = (count() - plane_) / tile;
  return {begin, std::max(begin, end)};
}

void Slab::start(double* field, int planes) {
  if (!is_divided()) return;
  const comm::Timer timer(seconds_);
  const auto width = static_cast<std::size_t>(planes) * static_cast<std::size_t>(plane_);
  const int n = ranks_->size(), below = (rank_ + n - 1) % n, above = (rank_ + 1) % n;
  for (int c = 0; c < 5; ++c) {
    double* const first = field + static_cast<std::ptrdiff_t>(c) * mesh_.stride + mesh_.origin;
    double* const end = first + count();
    pending_.receive(*ranks_, std::span<double>(first - width, width), below, 2 * c);
    pending_.receive(*ranks_, std::span<double>(end, width), above, 2 * c + 1);
    pending_.send(*ranks_, std::span<const double>(end - width, width), above, 2 * c);
    pending_.send(*ranks_, std::span<const double>(first, width), below, 2 * c + 1);
  }
}

void Slab::progress() {
  if (pending_.empty()) return;
  const comm::Timer timer(seconds_);
  pending_.progress();
}

void Slab::finish() {
  if (pending_.empty()) return;
  const comm::Timer timer(seconds_);
  pending_.wait_all();
}

void Slab::sum(std::span<double> tiles, std::size_t count, double* result) {
  sent_.assign(sums_.slots() * count, 0.0);
  sums_.reduce(rank_, tiles, count, sent_);
  if (!is_divided()) return sums_.combine(sent_, count, {result, count});
  const comm::Timer timer(seconds_);
  received_.resize(sent_.size() * static_cast<std::size_t>(ranks_->size()));
  ranks_->gather(std::span<const double>(sent_), std::span<double>(received_));
  sums_.combine(received_, count, {result, count});
}

double Slab::maximum(double value) {
  if (!is_divided()) return value;
  const comm::Timer timer(seconds_);
  return ranks_->reduce(value, comm::Reduction::maximum);
}

std::int64_t Slab::minimum(std::int64_t value) {
  if (!is_divided()) return value;
  const comm::Timer timer(seconds_);
  return ranks_->reduce(value, comm::Reduction::minimum);
}

void Slab::broadcast_from_owner(std::int64_t point, std::span<double> values) {
  if (!is_divided()) return;
  const comm::Timer timer(seconds_);
  int owner = 0;
  while (points_of_rank(extents_, ranks_->size(), owner).end <= point) ++owner;
  ranks_->broadcast(values, owner);
}

}  // namespace speedwell::blast_wave

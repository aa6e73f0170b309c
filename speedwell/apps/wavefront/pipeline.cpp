// Which division and pieces of a sweep on ranks end first. Costs are counted in steps of the kernel in one plane of
// Listing 1.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "speedwell/apps/wavefront/distributed.hpp"
#include "speedwell/apps/wavefront/stretches.hpp"

namespace speedwell::wavefront {
namespace {

std::int64_t parts(std::int64_t cells, std::int64_t of) { return (cells + of - 1) / of; }

class Costs {
 public:
  Costs(const Extents& whole, int lanes, int element_bytes, std::int64_t loops)
      : whole_(whole), lanes_(lanes), element_bytes_(element_bytes), loops_(loops) {}

  std::int64_t of_chunks(const comm::Cartesian2d& division, std::int64_t length) const {
    const std::int64_t nx = division.x_range(0).size(), ny = division.y_range(0).size();
    const std::int64_t steps = parts(ny, lanes_) * (common_period(length, lanes_) + steps_between_rows()) +
                               ribbon_lag(ribbon_planes(lanes_), lanes_);
    const std::int64_t messages = division.ranks() > 1 ? of_messages(std::max(nx, ny) * length) : 0;
    return (parts(whole_.nz, length) + division.px() + division.py() - 2) * (steps * of_step(nx) + messages);
  }

  /// The way of the first stretch to the last rank, and all stretches there.
  std::int64_t of_stretches(int ranks, std::int64_t least_length) const {
    const Stretches stretches(whole_.ny, whole_.nz, lanes_, least_length);
    const std::int64_t planes = parts(whole_.nx, ranks), period = common_period(whole_.nz, lanes_);
    const auto steps = [&](std::int64_t cells) { return cells + parts(cells * steps_between_rows(), period); };
    const std::int64_t messages = of_messages(stretches.most_cells());
    const std::int64_t delay = stretches.delay(rank_lag(planes, lanes_));
    return (ranks - 1) * (steps(delay) * of_step(planes) + parts(delay, stretches.length()) * messages) +
           steps(stretches.steps()) * of_step(planes) + stretches.count() * messages;
  }

 private:
  std::int64_t of_step(std::int64_t planes) const {
    return parts(planes, planes_together) * planes_together * (1 + loops_);
  }
  /// For the way to the next rows some two vectors of steps take as long as four.
  std::int64_t steps_between_rows() const { return 2 * lanes_; }
  /// A short message is sent at once; for a long one both sides have to meet. Of the limits in use the lowest is that
  /// of Open MPI within a host: 4096 bytes with the message's header.
  std::int64_t of_messages(std::int64_t cells) const { return cells * element_bytes_ < 4000 ? 50 : 800; }

  Extents whole_;
  int lanes_, element_bytes_;
  std::int64_t loops_;
};

/// Of the lengths next(0), next(next(0)) … and `all` the one with the least cost_of(length), and that.
template <class Next, class Cost>
std::pair<std::int64_t, std::int64_t> cheapest(std::int64_t all, const Next& next, const Cost& cost_of) {
  std::pair<std::int64_t, std::int64_t> best{all, cost_of(all)};
  for (std::int64_t length = next(0); length < all; length = next(length))
    if (const std::int64_t cost = cost_of(length); cost < best.second) best = {length, cost};
  return best;
}

void require_valid(int ranks, const DistributedOptions& options) {
  if (options.chunk < 0 || options.stretch < 0) throw std::invalid_argument("a chunk or stretch is not negative");
  if (options.chunk > 0 && options.stretch > 0)
    throw std::invalid_argument("a piece is a chunk or a stretch, not both");
  if (options.stretch > 0 && options.ranks_x != 0 && options.ranks_x != ranks)
    throw std::invalid_argument("stretches of rows need all ranks along x");
}

}  // namespace

Pipeline chosen_pipeline(const Extents& whole, int ranks, int lanes, int element_bytes, std::int64_t loops,
                         const DistributedOptions& options) {
  require_valid(ranks, options);
  const comm::Cartesian2d division(ranks, whole.nx, whole.ny, options.stretch > 0 ? ranks : options.ranks_x);
  if (options.chunk > 0) return {.px = division.px(), .chunk = std::min(options.chunk, whole.nz)};
  if (options.stretch > 0) return {.px = ranks, .stretch = options.stretch};

  const Costs costs(whole, lanes, element_bytes, loops);
  // Two vectors at least leave no lane without a cell between its rows.
  const auto two_vectors_more = [&](std::int64_t length) { return length + 2 * lanes; };
  const auto [chunk, of_chunks] =
      cheapest(whole.nz, two_vectors_more, [&](std::int64_t length) { return costs.of_chunks(division, length); });
  const Pipeline in_chunks{.px = division.px(), .chunk = chunk};
  if (ranks == 1 || ranks > whole.nx || (options.ranks_x != 0 && options.ranks_x != ranks)) return in_chunks;

  // Parts of rows, or whole ones.
  const std::int64_t period = common_period(whole.nz, lanes);
  const auto longer = [&](std::int64_t length) { return length + (length < period ? lanes : period); };
  const auto [stretch, of_stretches] = cheapest(parts(whole.ny, lanes) * period, longer,
                                                [&](std::int64_t length) { return costs.of_stretches(ranks, length); });
  return of_stretches < of_chunks ? Pipeline{.px = ranks, .stretch = stretch} : in_chunks;
}

}  // namespace speedwell::wavefront

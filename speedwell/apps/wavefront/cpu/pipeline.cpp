// Choice of the division among ranks and of the pipeline chunks by a cost model. The unit of cost is one kernel step in
// one plane of Listing 1.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "speedwell/apps/wavefront/cpu/row_chunks.hpp"
#include "speedwell/apps/wavefront/distributed.hpp"

namespace speedwell::wavefront {
namespace {

class CostModel {
 public:
  CostModel(const Extents& whole, int lanes, int element_bytes, std::int64_t loops, bool shares_memory)
      : whole_(whole), lanes_(lanes), element_bytes_(element_bytes), loops_(loops), shares_memory_(shares_memory) {}

  std::int64_t cost_of_z_chunks(const comm::Decomposition& division, std::int64_t length) const {
    const std::int64_t nx = division.tile(0).extent(0), ny = division.tile(0).extent(1);
    const std::int64_t steps = ceil_div(ny, lanes_) * (common_group_period(length, lanes_) + steps_between_rows()) +
                               group_lag(planes_per_group(lanes_), lanes_);
    const std::int64_t messages = division.ranks() > 1 ? cost_of_message(std::max(nx, ny) * length) : 0;
    return (ceil_div(whole_.nz, length) + division.grid()[0] + division.grid()[1] - 2) *
           (steps * cost_of_step(nx) + cost_of_visits(nx) + messages);
  }

  /// Cost of the first chunk reaching the last rank, and of all chunks there.
  std::int64_t cost_of_row_chunks(int ranks, std::int64_t min_length) const {
    const RowChunks row_chunks(whole_.ny, whole_.nz, lanes_, min_length);
    const std::int64_t planes = ceil_div(whole_.nx, ranks), period = common_group_period(whole_.nz, lanes_);
    const auto steps = [&](std::int64_t cells) { return cells + ceil_div(cells * steps_between_rows(), period); };
    const std::int64_t of_chunk = cost_of_message(row_chunks.max_cells()) + cost_of_visits(planes);
    const std::int64_t delay = row_chunks.delay(rank_lag(planes, lanes_));
    return (ranks - 1) * (steps(delay) * cost_of_step(planes) + ceil_div(delay, row_chunks.length()) * of_chunk) +
           steps(row_chunks.steps()) * cost_of_step(planes) + row_chunks.count() * of_chunk;
  }

 private:
  static std::int64_t swept_planes(std::int64_t planes) {
    return ceil_div(planes, interleaved_planes) * interleaved_planes;
  }
  std::int64_t cost_of_step(std::int64_t planes) const { return swept_planes(planes) * (1 + loops_); }
  /// In a chunk every plane group is visited once. A visit begins with rows that nothing has prefetched. The steps of
  /// Listing 1 that this takes are fitted to sweeps of two ranks in f64 with chunks of different lengths.
  static std::int64_t cost_of_visits(std::int64_t planes) { return 4 * swept_planes(planes); }
  /// Moving to the next row group makes about two vectors of steps cost twice as much.
  std::int64_t steps_between_rows() const { return 2 * lanes_; }
  /// Through shared memory a face costs a wait for a count and the transfer of its cache lines from one core to the
  /// other. Short messages are sent eagerly; for longer ones sender and receiver synchronise (rendezvous). The lowest
  /// eager limit in common use is that of Open MPI within a host: 4096 bytes including the header.
  std::int64_t cost_of_message(std::int64_t cells) const {
    const std::int64_t bytes = cells * element_bytes_;
    if (shares_memory_) return 15 + bytes / 100;
    return bytes < 4000 ? 50 : 800;
  }

  Extents whole_;
  int lanes_, element_bytes_;
  std::int64_t loops_;
  bool shares_memory_;
};

/// The length among next(0), next(next(0)) … and `all` with the smallest cost_of(length), and that cost.
template <class Next, class Cost>
std::pair<std::int64_t, std::int64_t> cheapest_length(std::int64_t all, const Next& next, const Cost& cost_of) {
  std::pair<std::int64_t, std::int64_t> best{all, cost_of(all)};
  for (std::int64_t length = next(0); length < all; length = next(length))
    if (const std::int64_t cost = cost_of(length); cost < best.second) best = {length, cost};
  return best;
}

void require_valid(int ranks, const DistributedOptions& options) {
  if (options.z_chunk < 0 || options.row_chunk < 0)
    throw std::invalid_argument("the length of a chunk must not be negative");
  if (options.z_chunk > 0 && options.row_chunk > 0)
    throw std::invalid_argument("z_chunk and row_chunk are mutually exclusive");
  if (options.row_chunk > 0 && options.ranks_x != 0 && options.ranks_x != ranks)
    throw std::invalid_argument("row chunks need all ranks along x");
}

}  // namespace

comm::Decomposition division_of(const Extents& whole, int ranks, int ranks_x) {
  return {ranks, {.extents = {whole.nx, whole.ny, 1}, .periodic = {}, .halo = {1, 1, 0}}, {ranks_x, 0, 1}};
}

Pipeline chosen_pipeline(const Extents& whole, int ranks, int lanes, int element_bytes, std::int64_t loops,
                         const DistributedOptions& options, bool shares_memory) {
  require_valid(ranks, options);
  const comm::Decomposition division = division_of(whole, ranks, options.row_chunk > 0 ? ranks : options.ranks_x);
  if (options.z_chunk > 0) return {.px = division.grid()[0], .z_chunk = std::min(options.z_chunk, whole.nz)};
  if (options.row_chunk > 0) return {.px = ranks, .row_chunk = options.row_chunk};

  const CostModel costs(whole, lanes, element_bytes, loops, shares_memory);
  // With at least two vectors no lane idles between its rows.
  const auto two_vectors_more = [&](std::int64_t length) { return length + 2 * lanes; };
  const auto [z_chunk, z_chunks_cost] = cheapest_length(
      whole.nz, two_vectors_more, [&](std::int64_t length) { return costs.cost_of_z_chunks(division, length); });
  const Pipeline in_z_chunks{.px = division.grid()[0], .z_chunk = z_chunk};
  if (ranks == 1 || ranks > whole.nx || (options.ranks_x != 0 && options.ranks_x != ranks)) return in_z_chunks;

  // Lengths below the period are parts of a row, longer ones are multiples of whole rows.
  const std::int64_t period = common_group_period(whole.nz, lanes);
  const auto longer = [&](std::int64_t length) { return length + (length < period ? lanes : period); };
  const auto [row_chunk, row_chunks_cost] =
      cheapest_length(ceil_div(whole.ny, lanes) * period, longer,
                      [&](std::int64_t length) { return costs.cost_of_row_chunks(ranks, length); });
  return row_chunks_cost < z_chunks_cost ? Pipeline{.px = ranks, .row_chunk = row_chunk} : in_z_chunks;
}

}  // namespace speedwell::wavefront

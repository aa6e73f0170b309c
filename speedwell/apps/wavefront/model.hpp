// What a sweep would take: a model in which the time of a block and of a message are plugged in, after G. R. Mudalige,
// M. K. Vernon, S. A. Jarvis, A plug-and-play model for evaluating wavefront computations on parallel architectures,
// IPDPS 2008. Here for ranks that pipeline chunks of their columns (KBA); gpu/tile_model.hpp has the tiles of a GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "speedwell/apps/wavefront/problem.hpp"

namespace speedwell::wavefront::model {

/// Seconds in which one core or device sweeps a block.
using BlockTime = std::function<double(const Extents& block)>;

/// A block's time in its beginning, its rows (nx ny of them) and its cells.
struct CoreTime {
  double block_s = 0, row_s = 0, cell_s = 0;
  double operator()(const Extents& block) const;
};
struct TimedBlock {
  Extents block;
  double seconds = 0;
};
/// Least squares of the relative errors with terms that are not negative; a term without which the rest fits as well
/// is 0. Throws std::invalid_argument without samples, and for a time that is not positive and finite.
CoreTime fit(std::span<const TimedBlock> samples);

/// Seconds that a cell takes more than in the nearest memory where a core's part of the grid has so many bytes.
struct FarCells {
  double bytes = 0, cell_s = 0;
};
/// The same for parts of any size: between two of `far`, which are sorted by bytes, on a line over the logarithm,
/// beyond them as at the ends; 0 without any.
double far_cell_seconds(std::span<const FarCells> far, double bytes);

/// A message takes its sender and its receiver overhead_s each, and is there latency_s + bytes * byte_s after it was
/// sent: o, L and G of LogGP (Alexandrov, Ionescu, Schauser, Scheiman, SPAA 1995).
struct Network {
  double overhead_s = 0, latency_s = 0, byte_s = 0;
};

/// Ranks in a rectangle of px x py, each with all of z for its part of x and y (sizes that differ by one at the most,
/// the larger first), in chunks of `chunk` cells along z.
struct Decomposition {
  int px = 1, py = 1;
  std::int64_t chunk = 1;
};

/// Seconds from the first rank's first chunk to the last rank's last. For each chunk a rank waits for its west and
/// north face, sweeps, and sends its east and south face, which it does not wait for. Exact under these rules, in time
/// proportional to px py. Throws std::invalid_argument for extents or a decomposition that leave a rank without cells,
/// and for a chunk below 1.
double pipeline_seconds(const Extents& extents, const Decomposition& how, int element_bytes, const BlockTime& sweep,
                        const Network& network);

/// The fastest rectangle and chunk for so many ranks: all rectangles are tried, and of chunks the multiples of
/// `chunk_unit` and all of z. Nothing where no rectangle gives each rank a cell.
std::optional<Decomposition> best_decomposition(const Extents& extents, int ranks, int element_bytes,
                                                const BlockTime& sweep, const Network& network,
                                                std::int64_t chunk_unit = 1);

}  // namespace speedwell::wavefront::model

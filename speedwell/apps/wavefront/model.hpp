// Performance model of the sweep with measured times of a block and of a message as inputs, after G. R. Mudalige, M. K.
// Vernon, S. A. Jarvis, A plug-and-play model for evaluating wavefront computations on parallel architectures, IPDPS
// 2008. This header models ranks that pipeline z chunks of their blocks (KBA); gpu/tile_model.hpp models the tiles of a
// GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "speedwell/apps/wavefront/problem.hpp"

namespace speedwell::wavefront::model {

/// Seconds that one core or device takes to sweep a block.
using BlockTime = std::function<double(const Extents& block)>;

/// Time of a block: a constant, a term per row (of nx ny rows) and a term per cell.
struct CoreTime {
  double block_s = 0, row_s = 0, cell_s = 0;
  double operator()(const Extents& block) const;
};
struct TimedBlock {
  Extents block;
  double seconds = 0;
};
/// Fits the terms to measured times by least squares of the relative errors, subject to non-negative terms; a term
/// whose omission does not worsen the fit is 0. Throws std::invalid_argument if there are no samples, and for a time
/// that is not positive and finite.
CoreTime fit(std::span<const TimedBlock> samples);

/// Additional seconds per cell, relative to data in the nearest cache, when a core's block occupies `bytes`.
struct ExtraCellTime {
  double bytes = 0, cell_s = 0;
};
/// Additional seconds per cell for a block of any size: interpolated linearly in the logarithm between the entries of
/// `samples`, which are sorted by bytes, and constant outside; 0 without samples.
double extra_cell_seconds(std::span<const ExtraCellTime> samples, double bytes);

/// Parameters o, L and G of LogGP (Alexandrov, Ionescu, Schauser, Scheiman, SPAA 1995): a message occupies its sender
/// and its receiver for overhead_s each, and arrives latency_s + bytes * byte_s after it was sent.
struct Network {
  double overhead_s = 0, latency_s = 0, byte_s = 0;
};

/// A process grid of px x py ranks, each with all of z for its share of x and y (shares differ by at most one, the
/// larger first), swept in chunks of `chunk` cells along z.
struct Decomposition {
  int px = 1, py = 1;
  std::int64_t chunk = 1;
};

/// Seconds from the first chunk of the first rank to the last chunk of the last. For each chunk a rank waits for its
/// west and north faces, sweeps, and sends its east and south faces without waiting. The result is exact under these
/// rules and takes time proportional to px py. Throws std::invalid_argument for extents or a decomposition that leave a
/// rank without cells, and for a chunk below 1.
double pipeline_seconds(const Extents& extents, const Decomposition& decomposition, int element_bytes,
                        const BlockTime& sweep, const Network& network);

/// The fastest process grid and chunk for a number of ranks. All process grids are tried, and all chunks that are
/// multiples of `chunk_unit`, and all of z. Returns nothing if no process grid gives each rank a cell.
std::optional<Decomposition> best_decomposition(const Extents& extents, int ranks, int element_bytes,
                                                const BlockTime& sweep, const Network& network,
                                                std::int64_t chunk_unit = 1);

}  // namespace speedwell::wavefront::model

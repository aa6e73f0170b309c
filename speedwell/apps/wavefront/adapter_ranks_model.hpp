// The pipeline's model (model.hpp) on the ranks that are here: what a core and a message take is measured.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "speedwell/apps/wavefront/adapter_workload.hpp"
#include "speedwell/apps/wavefront/model.hpp"
#include "speedwell/comm/communicator.hpp"

namespace speedwell::wavefront {

/// A chunk's length is a multiple of this: two vectors of the widest instruction set, so that no lane is without cells.
inline constexpr std::int64_t chunk_unit = 32;

/// What a core takes for chunks and row chunks of its part of a grid.
struct MeasuredCore {
  model::CoreTime near;                   // whole vectors of plane groups that lie in its own caches
  std::vector<model::ExtraCellTime> far;  // what is added where the part is larger
  int lanes = 1;

  /// The time of a block on a core that has one of `ranks` equal parts of the grid.
  model::BlockTime part_of(const Settings& settings, int ranks) const;
  /// Seconds of a sweep by `ranks` along x, in row chunks of `length` steps at least.
  double seconds_in_row_chunks(const Settings& settings, int ranks, std::int64_t length,
                               const model::Network& network) const;
};

/// Measured once in a process for each kind of cell, by blocks of shapes of their own: on all ranks at once, as they
/// share caches and memory, of which the slowest counts. Collective; without ranks, on one core alone.
const MeasuredCore& measured_core(const Settings& settings, const comm::Communicator* ranks);

/// A message between the first rank and the last, measured once in a process. Collective; nothing with fewer than two.
std::optional<model::Network> measured_network(const comm::Communicator* ranks);

/// Collective: seconds of a sweep by `mpi`.
double seconds_on_ranks(const Settings& settings, const comm::Communicator& ranks);

}  // namespace speedwell::wavefront

// The pipeline's model (model.hpp) on the ranks that are here: what a core and a message take is measured.
#pragma once

#include <optional>

#include "speedwell/apps/wavefront/adapter_case.hpp"
#include "speedwell/apps/wavefront/model.hpp"
#include "speedwell/comm/communicator.hpp"

namespace speedwell::wavefront {

/// A chunk's length is a multiple of this: two vectors of the widest instruction set, so that no lane is without cells.
inline constexpr std::int64_t chunk_unit = 32;

/// A core's time for chunks of columns as long as the problem's, from blocks of other shapes: on all ranks at once, as
/// they share the memory, of which the slowest counts. Collective; without ranks, on one core alone.
model::CoreTime measured_core(const Settings& settings, const comm::Communicator* ranks);

/// A message between the first rank and the last, measured once in a process. Collective; nothing with fewer than two.
std::optional<model::Network> measured_network(const comm::Communicator* ranks);

/// Collective: seconds of a sweep by `mpi`.
double seconds_on_ranks(const Settings& settings, const comm::Communicator& ranks);

}  // namespace speedwell::wavefront

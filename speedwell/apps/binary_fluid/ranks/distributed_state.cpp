#include "speedwell/apps/binary_fluid/ranks/distributed_state.hpp"

#include <stdexcept>

#include "speedwell/comm/redistribution.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::binary_fluid {

std::int64_t scatter_state(const comm::Communicator& ranks, const Problem& problem, const comm::Decomposition& division,
                           const State* whole,
                           const std::function<void(int distribution, int p, const double* own)>& set) {
  const auto sites = static_cast<std::size_t>(problem.extents.sites());
  const bool root = ranks.rank() == 0;
  if (!ranks.broadcast(!root || has_extents(problem, *whole)))
    throw std::invalid_argument("binary_fluid: the state does not have the extents of the problem");
  const std::int64_t step = ranks.broadcast(root ? whole->step : std::int64_t{0});
  comm::Redistribution<double> move(ranks, comm::whole_on_first_rank(division), comm::tiles_of(division));
  core::HostBuffer<double> own(static_cast<std::size_t>(division.tile(ranks.rank()).size()));
  for (int distribution = 0; distribution < 2; ++distribution)
    for (int p = 0; p < velocities; ++p) {
      std::span<const double> all;
      if (root)
        all = std::span<const double>(distribution == 0 ? whole->f : whole->g)
                  .subspan(static_cast<std::size_t>(p) * sites, sites);
      move.move(all, own.span());
      set(distribution, p, own.data());
    }
  return step;
}

void gather_state(const comm::Communicator& ranks, const Problem& problem, const comm::Decomposition& division,
                  std::int64_t step, std::span<const double> own, State* whole) {
  const auto sites = static_cast<std::size_t>(problem.extents.sites());
  const auto own_sites = static_cast<std::size_t>(division.tile(ranks.rank()).size());
  const bool root = ranks.rank() == 0;
  if (root) {
    whole->extents = problem.extents;
    whole->step = step;
    whole->f.resize(velocities * sites);
    whole->g.resize(velocities * sites);
  }
  comm::Redistribution<double> move(ranks, comm::tiles_of(division), comm::whole_on_first_rank(division));
  for (int distribution = 0; distribution < 2; ++distribution)
    for (int p = 0; p < velocities; ++p) {
      std::span<double> all;
      if (root)
        all = std::span<double>(distribution == 0 ? whole->f : whole->g)
                  .subspan(static_cast<std::size_t>(p) * sites, sites);
      move.move(own.subspan(static_cast<std::size_t>(distribution * velocities + p) * own_sites, own_sites), all);
    }
}

}  // namespace speedwell::binary_fluid

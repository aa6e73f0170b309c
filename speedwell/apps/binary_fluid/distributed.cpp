#include "speedwell/apps/binary_fluid/distributed.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/binary_fluid/distributed_tile.hpp"
#include "speedwell/apps/binary_fluid/ladder.hpp"
#include "speedwell/comm/redistribution.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::binary_fluid {
namespace {

comm::GlobalBox box_of(const Problem& problem, const std::array<int, 3>& halo) {
  comm::GlobalBox box{.halo = halo};
  for (int d = 0; d < 3; ++d) {
    box.extents[axis_of(d)] = problem.extents.extent(d);
    box.periodic[axis_of(d)] = !problem.axes[static_cast<std::size_t>(d)].walls;
  }
  return box;
}

/// The grid of ranks (z, y, x). A row that is not divided is processed in full vectors; dividing z and y as much as
/// x would be makes faces of the same area up to eight ranks.
std::array<int, 3> grid_of(const Problem& problem, int ranks, std::array<int, 3> along) {
  const comm::GlobalBox box = box_of(problem, {1, 1, 1});
  if (along[2] == 0) {
    along[2] = 1;
    try {
      return comm::Decomposition(ranks, box, along).grid();
    } catch (const std::invalid_argument&) {
      along[2] = 0;
    }
  }
  return comm::Decomposition(ranks, box, along).grid();
}

}  // namespace

comm::Decomposition division_of(const Problem& problem, int ranks, const std::array<int, 3>& ranks_along) {
  const std::array<int, 3> grid = grid_of(problem, ranks, {ranks_along[2], ranks_along[1], ranks_along[0]});
  std::array<int, 3> halo{};
  for (std::size_t a = 0; a < 3; ++a) halo[a] = grid[a] > 1 ? 1 : 0;
  return {ranks, box_of(problem, halo), grid};
}

DistributedFluid::DistributedFluid(const comm::Communicator& ranks, const Problem& problem, Precision precision,
                                   const std::array<int, 3>& ranks_along)
    : ranks_(ranks),
      problem_(problem),
      division_((require_valid(problem), division_of(problem, ranks.size(), ranks_along))),
      tile_(choose(problem) == Method::moments ? tile_of_moments(ranks, problem, precision, division_)
                                               : tile_in_place(ranks, problem, precision, division_)) {}
DistributedFluid::DistributedFluid(DistributedFluid&&) noexcept = default;
DistributedFluid::~DistributedFluid() = default;

std::string DistributedFluid::division_text() const {
  const auto& grid = division_.grid();
  return std::to_string(grid[2]) + " x " + std::to_string(grid[1]) + " x " + std::to_string(grid[0]);
}

void DistributedFluid::scatter(const State* whole) {
  const auto sites = static_cast<std::size_t>(problem_.extents.sites());
  const bool root = ranks_.rank() == 0;
  const bool fits = !root || (whole->extents == problem_.extents && whole->f.size() == velocities * sites &&
                              whole->g.size() == whole->f.size());
  if (!ranks_.broadcast(fits))
    throw std::invalid_argument("binary_fluid: the state does not have the extents of the problem");
  step_ = ranks_.broadcast(root ? whole->step : std::int64_t{0});
  comm::Redistribution<double> move(ranks_, comm::whole_on_first_rank(division_), comm::tiles_of(division_));
  core::HostBuffer<double> own(static_cast<std::size_t>(division_.tile(ranks_.rank()).size()));
  for (int distribution = 0; distribution < 2; ++distribution)
    for (int p = 0; p < velocities; ++p) {
      std::span<const double> all;
      if (root)
        all = std::span<const double>(distribution == 0 ? whole->f : whole->g)
                  .subspan(static_cast<std::size_t>(p) * sites, sites);
      move.move(all, own.span());
      tile_->set(distribution, p, own.data());
    }
  tile_->begin();
}

void DistributedFluid::run(int steps) {
  tile_->run(steps);
  step_ += steps;
}

void DistributedFluid::gather(State* whole) {
  const auto sites = static_cast<std::size_t>(problem_.extents.sites());
  const auto own_sites = static_cast<std::size_t>(division_.tile(ranks_.rank()).size());
  const bool root = ranks_.rank() == 0;
  if (root) {
    whole->extents = problem_.extents;
    whole->step = step_;
    whole->f.resize(velocities * sites);
    whole->g.resize(velocities * sites);
  }
  comm::Redistribution<double> move(ranks_, comm::tiles_of(division_), comm::whole_on_first_rank(division_));
  core::HostBuffer<double> own(2 * velocities * own_sites);
  tile_->get(own.data());
  for (int distribution = 0; distribution < 2; ++distribution)
    for (int p = 0; p < velocities; ++p) {
      std::span<double> all;
      if (root)
        all = std::span<double>(distribution == 0 ? whole->f : whole->g)
                  .subspan(static_cast<std::size_t>(p) * sites, sites);
      move.move(own.span().subspan(static_cast<std::size_t>(distribution * velocities + p) * own_sites, own_sites),
                all);
    }
}

double DistributedFluid::exchange_seconds() const { return tile_->exchange_seconds(); }
double DistributedFluid::sent_bytes() const { return tile_->sent_bytes(); }

}  // namespace speedwell::binary_fluid

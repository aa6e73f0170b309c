#include "speedwell/apps/binary_fluid/distributed.hpp"

#include <stdexcept>
#include <string>

#include "speedwell/apps/binary_fluid/ladder.hpp"
#include "speedwell/apps/binary_fluid/ranks/distributed_state.hpp"
#include "speedwell/apps/binary_fluid/ranks/distributed_tile.hpp"
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
  step_ = scatter_state(ranks_, problem_, division_, whole,
                        [&](int distribution, int p, const double* own) { tile_->set(distribution, p, own); });
  tile_->begin();
}

void DistributedFluid::run(int steps) {
  tile_->run(steps);
  step_ += steps;
}

void DistributedFluid::gather(State* whole) {
  core::HostBuffer<double> own(2 * velocities * static_cast<std::size_t>(division_.tile(ranks_.rank()).size()));
  tile_->get(own.data());
  gather_state(ranks_, problem_, division_, step_, own.span(), whole);
}

double DistributedFluid::exchange_seconds() const { return tile_->exchange_seconds(); }
double DistributedFluid::sent_bytes() const { return tile_->sent_bytes(); }

}  // namespace speedwell::binary_fluid

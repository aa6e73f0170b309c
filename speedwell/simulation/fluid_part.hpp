// The part of a binary fluid that one rank holds, for the time loop on ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "speedwell/apps/binary_fluid/distributed.hpp"
#include "speedwell/apps/binary_fluid/distributed_tile.hpp"
#include "speedwell/apps/binary_fluid/site_sums.hpp"
#include "speedwell/apps/binary_fluid/statistics.hpp"
#include "speedwell/comm/communicator.hpp"

namespace speedwell::simulation {

/// Populations are stored, not moments, as in binary_fluid::Stepper: a run that continues from a checkpoint has the
/// bits of one that did not stop. All members are collective; `whole` is read or written on the first rank only.
class FluidPart {
 public:
  /// Throws std::invalid_argument if the box cannot be divided.
  FluidPart(const comm::Communicator& ranks, const binary_fluid::Problem& problem, binary_fluid::Precision precision);

  /// Sets the state, and saves it as save() does.
  void set(const binary_fluid::State* whole);
  void run(int steps);
  void get(binary_fluid::State* whole);
  void save();
  void restore();
  /// On every rank, with the bits of binary_fluid::statistics() of the whole state.
  binary_fluid::Statistics statistics();
  /// The fields of the whole box on the first rank, empty ones on the others.
  binary_fluid::Fields fields();

 private:
  const std::vector<double>& now();
  binary_fluid::SiteMoments moments_at(std::size_t site) const;
  std::vector<double> phi_with_halo();
  std::vector<binary_fluid::SiteSums> plane_sums();

  const comm::Communicator& ranks_;
  const binary_fluid::Problem problem_;
  const comm::Decomposition division_;
  const binary_fluid::TileBox box_;
  std::unique_ptr<binary_fluid::DistributedFluid::Tile> tile_;
  std::int64_t step_ = 0, saved_step_ = 0;
  std::vector<double> now_, saved_;  // the populations of the rank's sites: 19 of f, then 19 of g
  bool present_ = false;             // whether now_ is the state of the tile
};

}  // namespace speedwell::simulation

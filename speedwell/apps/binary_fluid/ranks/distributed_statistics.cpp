#include <span>
#include <vector>

#include "speedwell/apps/binary_fluid/distributed.hpp"
#include "speedwell/apps/binary_fluid/lattice/site_sums.hpp"
#include "speedwell/apps/binary_fluid/ranks/distributed_tile.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::binary_fluid {

Statistics DistributedFluid::statistics() {
  const TileBox box(division_, ranks_.rank());
  const comm::Tile tile = division_.tile(ranks_.rank());
  const auto sites = static_cast<std::size_t>(box.sites());
  core::HostBuffer<double> own(2 * velocities * sites);
  tile_->get(own.data());
  const auto moments_at = [&](std::size_t site) {
    return site_moments([&](int p) { return own[static_cast<std::size_t>(p) * sites + site]; },
                        [&](int p) { return own[static_cast<std::size_t>(velocities + p) * sites + site]; });
  };

  comm::HaloExchange<double> exchange(ranks_, division_, comm::HaloShape::corners, 1,
                                      {.shared_memory = false});  // for one exchange
  std::vector<double> phi(static_cast<std::size_t>(exchange.layout().size()));
  for (int k = 0; k < box.n[2]; ++k)
    for (int j = 0; j < box.n[1]; ++j)
      for (int i = 0; i < box.n[0]; ++i)
        phi[static_cast<std::size_t>(box.site(i, j, k))] =
            moments_at(static_cast<std::size_t>(box.own_site(j, k) + i)).phi;
  double* const field = phi.data();
  exchange.exchange(std::span<double* const>(&field, 1));

  const SumsProblem problem(problem_);
  SiteSums mine = SiteSums::none();
  for (int k = 0; k < box.n[2]; ++k) {
    SiteSums plane = SiteSums::none();
    for (int j = 0; j < box.n[1]; ++j)
      for (int i = 0; i < box.n[0]; ++i) {
        const auto d = differences<double>(problem.stencil, [&](int dx, int dy, int dz) {
          return phi[static_cast<std::size_t>(
              box.site(box.beside(0, i + dx), box.beside(1, j + dy), box.beside(2, k + dz)))];
        });
        const std::size_t site =
            problem_.extents.at(tile.ranges[2].begin + i, tile.ranges[1].begin + j, tile.ranges[0].begin + k);
        plane.add(sums_of(problem, moments_at(static_cast<std::size_t>(box.own_site(j, k) + i)), d,
                          static_cast<std::int64_t>(site)));
      }
    mine.add(plane);
  }

  std::vector<SiteSums> all(static_cast<std::size_t>(ranks_.size()));
  ranks_.gather(std::span<const SiteSums>(&mine, 1), std::span<SiteSums>(all));
  SiteSums total = all.front();
  for (std::size_t r = 1; r < all.size(); ++r) total.add(all[r]);
  return statistics_of(problem_, total);
}

}  // namespace speedwell::binary_fluid

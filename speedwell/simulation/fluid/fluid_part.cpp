#include "speedwell/simulation/fluid/fluid_part.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/binary_fluid/distributed.hpp"
#include "speedwell/apps/binary_fluid/ladder.hpp"
#include "speedwell/apps/binary_fluid/lattice/site_sums.hpp"
#include "speedwell/apps/binary_fluid/ranks/distributed_state.hpp"
#include "speedwell/apps/binary_fluid/ranks/distributed_tile.hpp"
#include "speedwell/comm/halo_exchange.hpp"
#include "speedwell/comm/redistribution.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::simulation {
namespace {

namespace bf = binary_fluid;

constexpr int sums_tag = 96;

std::size_t index(std::int64_t n) { return static_cast<std::size_t>(n); }

// A sum over the sites of a plane that passes from rank to rank in the order of the sites, so that it is added up as
// one process does: along x within a row, then along y.
class PlaneChain {
 public:
  PlaneChain(const comm::Communicator& ranks, const comm::Decomposition& division, int rows)
      : ranks_(ranks), grid_(division.grid()), at_(division.position(ranks.rank())), rows_(rows) {}

  /// The sum of the sites before a row of this rank; `own` if these are on this rank, or if there are none.
  bf::SiteSums before(int row, bf::SiteSums own) const {
    const bool first_row = row == 0;
    if (at_[2] > 0)
      receive(own, rank_at(at_[1], at_[2] - 1));
    else if (first_row && at_[1] > 0)
      receive(own, rank_at(at_[1] - 1, grid_[2] - 1));
    else if (!first_row && grid_[2] > 1)
      receive(own, rank_at(at_[1], grid_[2] - 1));
    return own;
  }
  /// Passes the sum on after a row of this rank.
  void after(int row, const bf::SiteSums& sum) const {
    const bool last_row = row == rows_ - 1;
    if (at_[2] < grid_[2] - 1)
      send(sum, rank_at(at_[1], at_[2] + 1));
    else if (last_row && at_[1] < grid_[1] - 1)
      send(sum, rank_at(at_[1] + 1, 0));
    else if (!last_row && grid_[2] > 1)
      send(sum, rank_at(at_[1], 0));
  }

 private:
  int rank_at(int y, int x) const { return x + grid_[2] * (y + grid_[1] * at_[0]); }
  void send(const bf::SiteSums& sum, int to) const {
    ranks_.send(std::span<const bf::SiteSums>(&sum, 1), to, sums_tag);
  }
  void receive(bf::SiteSums& sum, int from) const { ranks_.receive(std::span<bf::SiteSums>(&sum, 1), from, sums_tag); }

  const comm::Communicator& ranks_;
  const std::array<int, 3> grid_, at_;  // z, y, x
  const int rows_;
};

// Populations are stored, not moments, as in stepper_on_cores(): a run that continues from a checkpoint has the bits of
// one that did not stop.
class FluidOnCore final : public FluidPart {
 public:
  FluidOnCore(const comm::Communicator& ranks, const bf::Problem& problem, bf::Precision precision);

  void set(const bf::State* whole) override;
  void run(int steps) override;
  void get(bf::State* whole) override;
  void save() override;
  void restore() override;
  bf::Statistics statistics() override;
  bf::Fields fields() override;

 private:
  const std::vector<double>& now();
  bf::SiteMoments moments_at(std::size_t site) const;
  std::vector<double> phi_with_halo();
  std::vector<bf::SiteSums> plane_sums();

  const comm::Communicator& ranks_;
  const bf::Problem problem_;
  const comm::Decomposition division_;
  const bf::TileBox box_;
  std::unique_ptr<bf::DistributedFluid::Tile> tile_;
  std::int64_t step_ = 0, saved_step_ = 0;
  std::vector<double> now_, saved_;  // the populations of the rank's sites: 19 of f, then 19 of g
  bool present_ = false;             // whether now_ is the state of the tile
};

FluidOnCore::FluidOnCore(const comm::Communicator& ranks, const bf::Problem& problem, bf::Precision precision)
    : ranks_(ranks),
      problem_(problem),
      division_((bf::require_valid(problem), bf::division_of(problem, ranks.size()))),
      box_(division_, ranks.rank()),
      tile_(bf::tile_in_place(ranks, problem_, precision, division_)),
      now_(2 * bf::velocities * index(box_.sites())),
      saved_(now_.size()) {}

const std::vector<double>& FluidOnCore::now() {
  if (!present_) tile_->get(now_.data());
  present_ = true;
  return now_;
}

void FluidOnCore::set(const bf::State* whole) {
  const std::size_t sites = index(box_.sites());
  step_ = bf::scatter_state(ranks_, problem_, division_, whole, [&](int distribution, int p, const double* own) {
    tile_->set(distribution, p, own);
    std::copy(own, own + sites, &saved_[index(distribution * bf::velocities + p) * sites]);
  });
  tile_->begin();
  present_ = false;
  saved_step_ = step_;
}

void FluidOnCore::run(int steps) {
  tile_->run(steps);
  step_ += steps;
  present_ = false;
}

void FluidOnCore::get(bf::State* whole) { bf::gather_state(ranks_, problem_, division_, step_, now(), whole); }

void FluidOnCore::save() {
  saved_ = now();
  saved_step_ = step_;
}

void FluidOnCore::restore() {
  const std::size_t sites = index(box_.sites());
  for (int n = 0; n < 2 * bf::velocities; ++n)
    tile_->set(n / bf::velocities, n % bf::velocities, &saved_[index(n) * sites]);
  tile_->begin();
  step_ = saved_step_;
  present_ = false;
}

// Takes the state that is in now_.
bf::SiteMoments FluidOnCore::moments_at(std::size_t site) const {
  const std::size_t sites = index(box_.sites());
  return bf::site_moments([&](int p) { return now_[index(p) * sites + site]; },
                          [&](int p) { return now_[index(bf::velocities + p) * sites + site]; });
}

std::vector<double> FluidOnCore::phi_with_halo() {
  comm::HaloExchange<double> exchange(ranks_, division_, comm::HaloShape::corners, 1,
                                      {.shared_memory = false});  // for one exchange
  std::vector<double> phi(index(exchange.layout().size()));
  for (int k = 0; k < box_.n[2]; ++k)
    for (int j = 0; j < box_.n[1]; ++j)
      for (int i = 0; i < box_.n[0]; ++i)
        phi[index(box_.site(i, j, k))] = moments_at(index(box_.own_site(j, k) + i)).phi;
  double* const field = phi.data();
  exchange.exchange(std::span<double* const>(&field, 1));
  return phi;
}

// The sums of the planes of the tile, complete on the last rank that has sites of them. A rank adds its rows of one
// plane while the next rank adds those of the plane before.
std::vector<bf::SiteSums> FluidOnCore::plane_sums() {
  const std::vector<double> phi = phi_with_halo();
  const comm::Tile tile = division_.tile(ranks_.rank());
  const bf::SumsProblem problem(problem_);
  const PlaneChain chain(ranks_, division_, box_.n[1]);
  std::vector<bf::SiteSums> sums;
  for (int k = 0; k < box_.n[2]; ++k) {
    bf::SiteSums plane = bf::SiteSums::none();
    for (int j = 0; j < box_.n[1]; ++j) {
      plane = chain.before(j, plane);
      for (int i = 0; i < box_.n[0]; ++i) {
        const auto d = bf::differences<double>(problem.stencil, [&](int dx, int dy, int dz) {
          return phi[index(box_.site(box_.beside(0, i + dx), box_.beside(1, j + dy), box_.beside(2, k + dz)))];
        });
        const std::size_t site =
            problem_.extents.at(tile.ranges[2].begin + i, tile.ranges[1].begin + j, tile.ranges[0].begin + k);
        plane.add(bf::sums_of(problem, moments_at(index(box_.own_site(j, k) + i)), d, static_cast<std::int64_t>(site)));
      }
      chain.after(j, plane);
    }
    sums.push_back(plane);
  }
  return sums;
}

bf::Statistics FluidOnCore::statistics() {
  now();
  const std::vector<bf::SiteSums> own = plane_sums();
  // Every rank sends as many planes as the first one has, whose tile is as thick as any.
  const auto& grid = division_.grid();
  const std::size_t planes = index(division_.tile(0).extent(0));
  std::vector<bf::SiteSums> mine(planes, bf::SiteSums::none()), all(planes * index(ranks_.size()));
  std::copy(own.begin(), own.end(), mine.begin());
  ranks_.gather(std::span<const bf::SiteSums>(mine), std::span<bf::SiteSums>(all));
  bf::SiteSums total = bf::SiteSums::none();
  for (int z = 0; z < grid[0]; ++z) {
    const int last = grid[1] * grid[2] * (z + 1) - 1;
    for (std::int64_t k = 0; k < division_.tile(last).extent(0); ++k) total.add(all[index(last) * planes + index(k)]);
  }
  return bf::statistics_of(problem_, total);
}

bf::Fields FluidOnCore::fields() {
  now();
  const std::size_t sites = index(box_.sites());
  std::array<std::vector<double>, 5> own;  // density, phi, and the components of the velocity
  for (std::vector<double>& values : own) values.resize(sites);
  for (std::size_t site = 0; site < sites; ++site) {
    const bf::SiteMoments m = moments_at(site);
    own[0][site] = m.r;
    own[1][site] = m.phi;
    for (std::size_t d = 0; d < 3; ++d) own[2 + d][site] = (m.m[d] + problem_.fluid.force[d] / 2) / (1 + m.r);
  }
  const bool root = ranks_.rank() == 0;
  const std::size_t whole = root ? index(problem_.extents.sites()) : 0;
  bf::Fields result{std::vector<double>(whole), std::vector<double>(3 * whole), std::vector<double>(whole)};
  std::vector<double> component(whole);
  comm::Redistribution<double> move(ranks_, comm::tiles_of(division_), comm::whole_on_first_rank(division_));
  move.move(own[0], result.density);
  move.move(own[1], result.phi);
  for (std::size_t d = 0; d < 3; ++d) {
    move.move(own[2 + d], component);
    for (std::size_t site = 0; site < whole; ++site) result.velocity[3 * site + d] = component[site];
  }
  return result;
}

}  // namespace

std::unique_ptr<FluidPart> fluid_part_on_core(const comm::Communicator& ranks, const bf::Problem& problem,
                                              bf::Precision precision) {
  return std::make_unique<FluidOnCore>(ranks, problem, precision);
}

double fluid_bytes_of_gpu(const bf::Problem& problem, bf::Precision precision, int gpus) {
  bf::Problem slab = problem;
  if (gpus > 1) slab.extents.nz = (problem.extents.nz + gpus - 1) / gpus + 2;
  return bf::gpu_bytes(slab, bf::choose(problem), precision);
}

#ifdef SPEEDWELL_WITHOUT_CUDA

std::unique_ptr<FluidPart> fluid_part_on_gpu(const comm::Communicator&, const bf::Problem&, bf::Precision) {
  throw core::Unavailable("a binary fluid on several GPUs: this build has no CUDA");
}

#endif

}  // namespace speedwell::simulation

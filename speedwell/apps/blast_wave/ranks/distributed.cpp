#include "speedwell/apps/blast_wave/distributed.hpp"

#include <span>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/blast_wave/ranks/slab_solver.hpp"
#include "speedwell/comm/redistribution.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::blast_wave {
namespace {

/// The points of each rank, or all points on the first rank, as tiles of a box of one axis.
std::vector<comm::Tile> slabs(const Extents& e, int ranks, bool whole_on_first) {
  std::vector<comm::Tile> all;
  for (int r = 0; r < ranks; ++r) {
    const comm::Range whole{0, r == 0 ? e.points() : 0};
    all.push_back({{whole_on_first ? whole : points_of_rank(e, ranks, r), comm::Range{0, 1}, comm::Range{0, 1}}});
  }
  return all;
}

}  // namespace

struct DistributedSolver::Data {
  Data(const comm::Communicator& all, const Problem& chosen, int threads)
      : ranks(all),
        problem(chosen),
        slab(all, chosen.extents),
        solver(slab, chosen, threads, Products::matrix_free),
        to_slabs(all, slabs(chosen.extents, all.size(), true), slabs(chosen.extents, all.size(), false)),
        to_first(all, slabs(chosen.extents, all.size(), false), slabs(chosen.extents, all.size(), true)) {}

  const comm::Communicator& ranks;
  Problem problem;
  Slab slab;
  SlabSolver solver;
  comm::Redistribution<double> to_slabs, to_first;  // a variable at a time, which is contiguous here and there

  bool is_root() const { return ranks.rank() == 0; }
  std::size_t points() const { return static_cast<std::size_t>(problem.extents.points()); }
  std::span<double> own(int c) { return {solver.variable(c), static_cast<std::size_t>(slab.count())}; }
};

DistributedSolver::DistributedSolver(const comm::Communicator& ranks, const Problem& problem, int threads) {
  require_valid(problem);
  data_ = std::make_unique<Data>(ranks, problem, threads);
}

void DistributedSolver::scatter(const State* whole) {
  Data& d = *data_;
  std::string refusal;
  if (d.is_root()) {
    try {
      require_admissible(d.problem, *whole);
    } catch (const std::invalid_argument& error) {
      refusal = error.what();
    }
  }
  refusal = d.ranks.broadcast(refusal);
  if (!refusal.empty()) throw std::invalid_argument(refusal);
  for (int c = 0; c < 5; ++c) {
    std::span<const double> from;
    if (d.is_root()) from = std::span(whole->q).subspan(static_cast<std::size_t>(c) * d.points(), d.points());
    d.to_slabs.move(from, d.own(c));
  }
  d.solver.time = d.ranks.broadcast(d.is_root() ? whole->time : 0.0);
  d.solver.step = d.ranks.broadcast(d.is_root() ? whole->step : std::int64_t{0});
}

void DistributedSolver::gather(State* whole) {
  Data& d = *data_;
  if (d.is_root()) {
    whole->extents = d.problem.extents;
    whole->q.resize(5 * d.points());
    whole->time = d.solver.time;
    whole->step = d.solver.step;
  }
  for (int c = 0; c < 5; ++c) {
    std::span<double> to;
    if (d.is_root()) to = std::span(whole->q).subspan(static_cast<std::size_t>(c) * d.points(), d.points());
    d.to_first.move(d.own(c), to);
  }
}

History DistributedSolver::run(int steps) { return data_->solver.run(steps); }

CpuSolver::Parts DistributedSolver::seconds() const { return data_->solver.seconds(); }

double DistributedSolver::exchange_seconds() const { return data_->slab.seconds(); }

std::string DistributedSolver::division_text() const { return core::counted(data_->ranks.size(), "slab") + " along z"; }

double DistributedSolver::host_bytes(const Extents& e, int ranks) {
  const double halo = ranks > 1 ? (2.0 * halo_planes + 1) * static_cast<double>(e.nx * e.ny) * ranks : 0;
  return SlabSolver::bytes(static_cast<double>(e.points()) + halo, Products::matrix_free);
}

void DistributedSolver::require_ranks(const Extents& e, int ranks) { require_divisible(e, ranks); }

}  // namespace speedwell::blast_wave

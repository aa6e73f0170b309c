#include "speedwell/apps/blast_wave/distributed.hpp"

#include <span>
#include <vector>

#include "speedwell/apps/blast_wave/ranks/slab_solver.hpp"
#include "speedwell/apps/blast_wave/ranks/state_division.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::blast_wave {
namespace {

std::vector<comm::Range> points_of_ranks(const Extents& e, int ranks) {
  std::vector<comm::Range> all;
  for (int r = 0; r < ranks; ++r) all.push_back(points_of_rank(e, ranks, r));
  return all;
}

}  // namespace

struct DistributedSolver::Data {
  Data(const comm::Communicator& all, const Problem& chosen, int threads)
      : ranks(all),
        problem(chosen),
        slab(all, chosen.extents),
        solver(slab, chosen, threads, Products::matrix_free),
        states(all, chosen, points_of_ranks(chosen.extents, all.size())) {}

  const comm::Communicator& ranks;
  Problem problem;
  Slab slab;
  SlabSolver solver;
  StateDivision states;

  bool is_root() const { return ranks.rank() == 0; }
  StateDivision::Variable own() {
    return [this](int c) { return std::span(solver.variable(c), static_cast<std::size_t>(slab.count())); };
  }
};

DistributedSolver::DistributedSolver(const comm::Communicator& ranks, const Problem& problem, int threads) {
  require_valid(problem);
  data_ = std::make_unique<Data>(ranks, problem, threads);
}

void DistributedSolver::scatter(const State* whole) {
  Data& d = *data_;
  d.states.scatter(whole, d.own());
  d.solver.time = d.ranks.broadcast(d.is_root() ? whole->time : 0.0);
  d.solver.step = d.ranks.broadcast(d.is_root() ? whole->step : std::int64_t{0});
}

void DistributedSolver::gather(State* whole) {
  Data& d = *data_;
  d.states.gather(d.own(), whole);
  if (!d.is_root()) return;
  whole->time = d.solver.time;
  whole->step = d.solver.step;
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

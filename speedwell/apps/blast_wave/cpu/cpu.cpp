// The blast wave on all cores: one slab of the whole box.
#include <algorithm>

#include "speedwell/apps/blast_wave/blast_wave.hpp"
#include "speedwell/apps/blast_wave/ranks/slab_solver.hpp"

namespace speedwell::blast_wave {

struct CpuSolver::Data {
  Problem problem;
  Slab slab;
  SlabSolver solver;

  Data(const Problem& chosen, int threads, Products products)
      : problem(chosen), slab(chosen.extents), solver(slab, chosen, threads, products) {}
};

CpuSolver::CpuSolver(const Problem& problem, int threads, Products products) {
  require_valid(problem);
  data_ = std::make_unique<Data>(problem, threads, products);
}

void CpuSolver::set(const State& state) {
  Data& d = *data_;
  require_admissible(d.problem, state);
  const std::ptrdiff_t n = d.slab.count();
  d.solver.for_tiles([&](int, int first, int count) {
    for (int c = 0; c < 5; ++c) std::copy_n(state.q.data() + c * n + first, count, d.solver.variable(c) + first);
  });
  d.solver.time = state.time;
  d.solver.step = state.step;
}

void CpuSolver::get(State& state) const {
  Data& d = *data_;
  const std::ptrdiff_t n = d.slab.count();
  state.extents = d.problem.extents;
  state.q.resize(5 * static_cast<std::size_t>(n));
  d.solver.for_tiles([&](int, int first, int count) {
    for (int c = 0; c < 5; ++c) std::copy_n(d.solver.variable(c) + first, count, state.q.data() + c * n + first);
  });
  state.time = d.solver.time;
  state.step = d.solver.step;
}

History CpuSolver::run(int steps) { return data_->solver.run(steps); }

CpuSolver::Parts CpuSolver::seconds() const { return data_->solver.seconds(); }

void CpuSolver::multiply(const double* x, double* y) const {
  const SlabSolver& solver = data_->solver;
  solver.for_tiles([&](int number, int, int) { solver.product(x, y, number); });
}
std::size_t CpuSolver::stride() const { return static_cast<std::size_t>(data_->slab.mesh().stride); }

double CpuSolver::host_bytes(const Extents& e, Products products) {
  return SlabSolver::bytes(static_cast<double>(rounded(e.points())), products);
}

}  // namespace speedwell::blast_wave

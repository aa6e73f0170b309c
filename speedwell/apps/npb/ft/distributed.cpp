#include "speedwell/apps/npb/ft/distributed.hpp"

#include <array>
#include <span>

#include "speedwell/apps/npb/ft/field.hpp"
#include "speedwell/comm/sums.hpp"
#include "speedwell/numerics/fft/ranks/distributed.hpp"

namespace speedwell::npb::ft {
namespace {

using Complex = std::complex<double>;

std::span<Complex> complex_span(core::HostBuffer<double>& reals) {
  return {reinterpret_cast<Complex*>(reals.data()), reals.size() / 2};
}
core::HostBuffer<double> complex_buffer(std::int64_t points) {
  return core::HostBuffer<double>(2 * static_cast<std::size_t>(points), core::Pages::large);
}

const Problem& valid(const Problem& problem) {
  require_valid(problem);
  return problem;
}

}  // namespace

struct DistributedSolver::State {
  State(const comm::Communicator& all, const Problem& p)
      : ranks(all),
        problem(valid(p)),
        plan(ranks, {.extents = {p.nz, p.ny, p.nx}}, {.normalisation = fft::Normalisation::backward}),
        planes(plan.array_tiles()[static_cast<std::size_t>(ranks.rank())].ranges[0]),
        modes(complex_buffer(plan.spectrum_points())),
        field(complex_buffer(plan.array_points())) {}

  /// The field of a time step, from the modes times their factors.
  void step(int t) {
    const auto x = decay(problem.nx, t), y = decay(problem.ny, t), z = decay(problem.nz, t);
    const std::array<std::span<const double>, 3> factors = {z, y, x};
    plan.backward(complex_span(modes), factors, complex_span(field));
  }
  /// The terms of the checksum that are in the planes of this rank.
  Complex own_sum() {
    const Complex* const v = complex_span(field).data();
    Complex sum = 0;
    for (int q = 1; q <= checksum_points; ++q) {
      const GridPoint at = point_of_term(problem, q);
      if (at.z < planes.begin || at.z >= planes.end) continue;
      sum += v[((at.z - planes.begin) * problem.ny + at.y) * problem.nx + at.x];
    }
    return sum;
  }

  const comm::Communicator& ranks;
  Problem problem;
  fft::DistributedPlan<double> plan;
  comm::Range planes;  // along z of the field
  core::HostBuffer<double> modes, field;
};

DistributedSolver::DistributedSolver(const comm::Communicator& ranks, const Problem& problem)
    : state_(std::make_unique<State>(ranks, problem)) {}
DistributedSolver::DistributedSolver(DistributedSolver&&) noexcept = default;
DistributedSolver::~DistributedSolver() = default;

Checksums DistributedSolver::run() {
  State& s = *state_;
  const std::span<Complex> field = complex_span(s.field), modes = complex_span(s.modes);
  fill_initial(s.planes.begin * s.problem.ny * s.problem.nx, field);
  s.plan.forward(field, modes);
  Checksums checksums;
  for (int t = 1; t <= s.problem.iterations; ++t) {
    s.step(t);
    checksums.push_back(s.own_sum());
  }
  comm::sum_in_order(s.ranks, std::span<double>(reinterpret_cast<double*>(checksums.data()), 2 * checksums.size()));
  return checksums;
}

double DistributedSolver::exchange_seconds() const { return state_->plan.exchange_seconds(); }
bool DistributedSolver::shares_memory() const { return state_->plan.shares_memory(); }

// Modes and field; of the plan two slabs, and for the points that are sent and received in each of two
// exchanges.
double DistributedSolver::bytes(const Problem& problem) { return 8 * 16 * static_cast<double>(points(problem)); }

}  // namespace speedwell::npb::ft

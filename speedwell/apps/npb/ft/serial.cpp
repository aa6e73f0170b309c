// Straightforward serial code: an array each for the modes, the factors of one step and the field, and a separate loop
// for every operation.
#include "speedwell/apps/npb/ft/field.hpp"
#include "speedwell/numerics/fft/fft.hpp"

namespace speedwell::npb::ft {

struct SerialSolver::State {
  explicit State(const Problem& p)
      : problem(p),
        plan({.extents = {p.nz, p.ny, p.nx}}, {.threads = 1, .normalisation = fft::Normalisation::backward}),
        modes(p),
        field(p),
        factors(static_cast<std::size_t>(points(p)), core::Pages::large) {}

  void fill_factors() {
    const auto x = decay(problem.nx, 1), y = decay(problem.ny, 1), z = decay(problem.nz, 1);
    double* factor = factors.data();
    for (const double of_z : z)
      for (const double of_y : y)
        for (const double of_x : x) *factor++ = of_x * of_y * of_z;
  }
  void evolve() {
    const auto u = modes.span();
    for (std::size_t i = 0; i < u.size(); ++i) u[i] *= factors[i];
  }
  std::complex<double> checksum() {
    std::complex<double> sum = 0;
    for (int q = 1; q <= checksum_points; ++q) {
      const GridPoint at = point_of_term(problem, q);
      sum += field.span()[static_cast<std::size_t>((at.z * problem.ny + at.y) * problem.nx + at.x)];
    }
    return sum;
  }

  Problem problem;
  fft::Plan<double> plan;
  Field modes, field;
  core::HostBuffer<double> factors;
};

SerialSolver::SerialSolver(const Problem& problem) {
  require_valid(problem);
  state_ = std::make_unique<State>(problem);
}
SerialSolver::SerialSolver(SerialSolver&&) noexcept = default;
SerialSolver::~SerialSolver() = default;

double SerialSolver::bytes(const Problem& problem) { return 40 * static_cast<double>(points(problem)); }

Checksums SerialSolver::run() {
  State& s = *state_;
  s.fill_factors();
  fill_initial(0, s.field.span());
  s.plan.forward(s.field.span(), s.modes.span());
  Checksums checksums;
  for (int t = 1; t <= s.problem.iterations; ++t) {
    s.evolve();
    s.plan.backward(s.modes.span(), s.field.span());
    checksums.push_back(s.checksum());
  }
  return checksums;
}

}  // namespace speedwell::npb::ft

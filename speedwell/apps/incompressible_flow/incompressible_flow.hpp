// Incompressible flow on a staggered mesh, advanced in time on all cores:
//
//   speedwell::incompressible_flow::Problem problem;      // problem.hpp: mesh, walls, viscosity, what drives the flow
//   Solver<double> solver(problem);
//   solver.set(state);  for (…) solver.step(dt);  solver.get(state);
//
// Three Runge-Kutta steps with a projection in each; the projection uses the discrete operators, so that neither the
// intermediate velocity nor the pressure needs boundary conditions at walls. The bits of a result do not depend on the
// number of threads. A solver has its own threads, and must be used by one thread at a time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/incompressible_flow/choice.hpp"
#include "speedwell/apps/incompressible_flow/method.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/apps/incompressible_flow/statistics/statistics.hpp"
#include "speedwell/apps/incompressible_flow/statistics/steadiness.hpp"
#include "speedwell/core/simd/isa.hpp"

namespace speedwell::incompressible_flow {

struct Options {
  Method method;
  Pressure pressure = Pressure::automatic;
  /// Relative residual tolerance ||r|| / ||b|| of conjugate gradients; 0: 1e-10 in double precision, 1e-5 in single.
  double tolerance = 0;
  int max_iterations = 10000;        // of conjugate gradients, in one solve
  int threads = 0;                   // 0: OpenMP's default
  core::Isa isa = core::best_isa();  // std::invalid_argument if the processor does not have it
};
/// Throws std::invalid_argument for a tolerance below 1e-15 or not below 1, fewer than 1 iteration, and threads below
/// 0.
void require_valid(const Options& options);

/// Bytes of memory of a solver. Throws as require_valid(problem) and choose().
double solver_bytes(const Problem& problem, const Options& options, std::size_t element);

template <class T>
class Solver {
 public:
  /// Throws std::invalid_argument for a problem or options that are not valid, and core::Unavailable, which names the
  /// bytes, if they are more than this machine's memory.
  explicit Solver(const Problem& problem, const Options& options = {});
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;
  ~Solver();

  /// Sets the flow, which should have no divergence; velocities through closed faces are set to 0. Throws
  /// std::invalid_argument for a state of another mesh.
  void set(const State<T>& state);
  /// Overwrites the state with the present flow.
  void get(State<T>& state) const;
  /// Advances by dt > 0. Throws core::DeviceError if conjugate gradients do not converge; the flow is then not usable.
  void step(double dt);

  /// Sets the acceleration from now on; by default it is the problem's.
  void set_acceleration(const std::array<double, 3>& acceleration);
  /// The largest sum over axes of |velocity| / width: dt times this is the CFL number, which bounds the imaginary
  /// eigenvalues of the scheme. NaN if anything in the flow is.
  double convection_rate() const;

  /// statistics_of() the flow but for rounding, with the same bits for any number of threads.
  Statistics statistics() const;
  /// The values of a state at cells, in their order, as get() gives them. Cells must be in the box.
  std::vector<T> values(std::span<const CellValue> cells) const;
  /// Keeps the present velocities for velocity_change().
  void keep_velocity();
  /// How far the velocities are from those that keep_velocity() kept. Throws std::logic_error if none were.
  VelocityChange velocity_change() const;

  /// Sets the time of the flow, on which a moving mesh depends.
  void set_time(double time);
  /// The mean acceleration of the last step: the one that was set, and that which kept bulk velocities.
  std::array<double, 3> force() const;

  double time() const;
  std::int64_t steps() const;
  const Choice& choice() const;
  /// Iterations of all pressure solves of the last step; 0 for the direct solver.
  int pressure_iterations() const;
  int diffusion_iterations() const;

  struct Parts;  // cpu_parts.hpp; used by measurements of a step's parts

 private:
  std::unique_ptr<Parts> parts_;
};

/// The largest stable step of the scheme: `cfl` over the convection rate and, if diffusion is explicit, the scheme's
/// real limit over 4 nu sum 1 / width^2, times 0.9. Throws std::invalid_argument unless 0 < cfl < max_cfl().
double stable_step(const Problem& problem, const Method& method, double cfl, double convection_rate);

extern template class Solver<float>;
extern template class Solver<double>;

}  // namespace speedwell::incompressible_flow

// The blast wave of the BWAVES studies, in a formulation of our own: compressible Navier-Stokes in a periodic unit box,
// an implicit step with 5x5 blocks, BiCGSTAB. This file has the problem and its state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace speedwell::blast_wave {

/// Points along x, y and z; x is contiguous in memory.
struct Extents {
  std::int64_t nx = 65, ny = 65, nz = 64;
  std::int64_t points() const { return nx * ny * nz; }
  std::int64_t extent(int d) const { return d == 0 ? nx : d == 1 ? ny : nz; }
  bool operator==(const Extents&) const = default;
};

/// A calorically perfect gas. Lengths are in edges of the box, velocities in ambient speeds of sound, densities in the
/// ambient one.
struct Gas {
  double gamma = 1.4;
  double reynolds = 1e5;  // of the edge of the box and the ambient speed of sound
  double prandtl = 0.72;
  bool viscous = true;
  double viscosity() const { return viscous ? 1 / reynolds : 0; }
};

/// High pressure and density in the middle of the box, as ratios to the ambient values.
struct Blast {
  double pressure = 5, density = 3, radius = 0.2, width = 0.02;
};

struct Problem {
  Extents extents;
  Gas gas;
  Blast blast;
  double kappa2 = 1, kappa4 = 1.0 / 32;  // dissipation of second and fourth differences; 0 switches off
  double cfl = 2;
  double dt = 0;     // a given time step; 0: by the CFL number
  double theta = 1;  // 1: Euler backward, 1/2: trapezoidal
  /// BiCGSTAB stops when the sum of squares of the residual is at most this, as in BWAVES: an absolute bound, not a
  /// relative residual tolerance.
  double max_squared_residual = 1e-20;
  int max_iterations = 500;  // per step
  int steps = 100;
};

/// Throws std::invalid_argument naming the value and what is allowed.
void require_valid(const Problem& problem);

/// Conserved variables per unit volume: density, three momenta, energy. Variable c of point p is q[c * points + p],
/// and p = i + nx (j + ny k).
struct State {
  Extents extents;
  std::vector<double> q;
  double time = 0;
  std::int64_t step = 0;
};

/// The blast at rest. Throws as require_valid().
State blast(const Problem& problem);
/// Throws std::invalid_argument for a state of other extents, or whose density or pressure is not positive somewhere.
void require_admissible(const Problem& problem, const State& state);

enum class StopReason {
  done,
  iteration_limit,  // BiCGSTAB did not reach max_squared_residual within its iterations
  breakdown,        // BiCGSTAB divided by zero
  not_admissible,   // a density or pressure is not positive, or a value not finite
};
std::string to_string(StopReason stop_reason);

/// The pressure from five conserved variables.
inline double pressure_of(const Gas& gas, const double q[5]) {
  return (gas.gamma - 1) * (q[4] - (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) / (2 * q[0]));
}

/// Record of a step: the three outputs of the original, and what is needed to interpret them.
struct StepRecord {
  double dt = 0;
  double right_hand_side = 0;  // sum of squares of b
  double residual = 0;         // sum of squares of the recurrence's residual when BiCGSTAB stopped
  double true_residual = 0;    // the same of b - A dq
  double change = 0;           // sqrt of the sum of squares of dq
  int iterations = 0;
  int restarts = 0;
};

struct History {
  std::vector<StepRecord> steps;
  StopReason stop_reason = StopReason::done;  // of the last step
  std::int64_t point = -1;                    // the first point in memory order that is not admissible
  double density = 0, pressure = 0;           // values that it would have had
  std::int64_t iterations() const;
};

/// A description of a failure, "step 12, point (3,4,5): density 0.1, pressure -2: …"; empty if there was none.
std::string failure(const Problem& problem, const History& history, std::int64_t steps_before = 0);

/// Means over the mesh: conserved quantities, kinetic energy and entropy.
struct Totals {
  double mass = 0, momentum[3] = {}, energy = 0, kinetic = 0, entropy = 0;  // entropy: rho ln(p / rho^gamma)
  double min_pressure = 0, largest_pressure = 0, largest_mach = 0;
};
/// Computes the means over all points, in a fixed order.
Totals totals(const Gas& gas, const State& state);

}  // namespace speedwell::blast_wave

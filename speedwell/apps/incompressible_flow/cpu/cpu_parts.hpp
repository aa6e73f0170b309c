// The data of a solver on all cores.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "speedwell/apps/incompressible_flow/cpu/measure_rows.hpp"
#include "speedwell/apps/incompressible_flow/fields.hpp"
#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/apps/incompressible_flow/linear_solvers/conjugate_gradients.hpp"
#include "speedwell/apps/incompressible_flow/linear_solvers/diffusion_solver.hpp"
#include "speedwell/apps/incompressible_flow/linear_solvers/direct_solver.hpp"
#include "speedwell/apps/incompressible_flow/linear_solvers/mode_solver.hpp"
#include "speedwell/apps/incompressible_flow/mesh/metrics.hpp"

namespace speedwell::incompressible_flow {

/// Throws std::invalid_argument for a time step that is not above 0 and finite.
void require_time_step(double dt);

template <class T>
struct Solver<T>::Parts {
  /// With `ranks`, one slab of the mesh along the third axis of the choice: all members are then collective.
  Parts(const Problem& given, const Options& o, const comm::Communicator* ranks = nullptr);

  /// Sets or copies the planes of this slab; at(i, j, k) is the index of a cell in the arrays, whose axes are those of
  /// the choice.
  template <class At>
  void set(const std::array<const T*, 3>& velocity, const T* pressure_of, const At& at);
  template <class At>
  void get(const std::array<T*, 3>& velocity, T* pressure_of, const At& at);
  /// What follows set() in a new flow.
  void begin(double at_time, std::int64_t at_step);
  double convection_rate();
  Statistics statistics();
  /// The values of the present flow at cells of this slab, with the solver's arrays and axes; plane 0 is its first one.
  std::vector<T> values(std::span<const CellValue> cells);
  void keep_velocity();
  VelocityChange velocity_change();
  // As those of Solver: vectors are along the problem's axes.
  void set_acceleration(const std::array<double, 3>& given);
  void set_time(double to);
  std::array<double, 3> mean_force() const;

  void step(double dt);
  void momentum(const RungeKuttaCoefficients& s, double dt, const std::array<double, 3>& shrink);
  void move_mesh(double to);
  void keep_bulk_velocity(Fields<T>& field, double length);
  void diffuse(const RungeKuttaCoefficients& s, double dt);
  void solve_pressure(double length);
  /// Starts to fill the ghost cells of the velocity, and waits for them.
  void start_velocity();
  void finish_velocity();
  /// Fills the ghost cells along x of a row of each component, where the box is periodic.
  void wrap_rows(T* const (&rows)[3]) const {
    for (int c = 0; c < 3 && problem.periodic(0); ++c) wrap_row(rows[c], extents.nx);
  }
  void divergence(int j, int k, double length, T* out);
  void project_row(int j, int k, double length, const T* const (&p)[3], T p_next);
  /// Whether right-hand sides and pressures exist only in planes of the direct solver.
  bool by_planes() const { return !source && direct->planes(); }
  /// Whether the pressure has its own field, with right-hand sides in `source`.
  bool in_field() const { return gradients || modes; }
  void project(double length);
  void correct_pressure(double length);
  void centre_pressure();
  double mean_pressure();
  /// Collective. Prepares pressure_value(), whose argument `mean` it returns.
  double begin_pressure() {
    if (!pressure_in_direct) return 0;
    direct->settle();
    return mean_pressure();
  }
  T pressure_value(int i, int j, int k, double mean) const {
    return is_solid(i, j, k) ? T(0) : static_cast<T>(pressure_at(j, k)[i] - mean);
  }
  const T* pressure_at(int j, int k) const {
    return pressure_in_direct ? direct->row(j, k) : pressure.at(layout, j, k);
  }
  bool is_solid(int i, int j, int k) const {
    return !problem.solid.empty() && problem.solid[extents.at(i, j, slab.first() + k)];
  }
  MeshMetrics<T> metrics_at(int j, int k) const { return at_row(metrics.mesh(), j, k); }
  const T* wall_drag_at(std::size_t c, int j, int k) const {
    return wall_drag_of[c].empty() ? nullptr : wall_drag_of[c].data() + extents.at(0, j, k);
  }
  int open(int c, int j, int k) const { return open_faces(problem, layout, team, c, j, k); }
  bool trapezoidal() const { return options.method.diffusion == Diffusion::trapezoidal; }

  Options options;
  Choice choice;
  Problem problem;   // with its axes in the order of the choice, and the present mesh
  Problem original;  // the same with the initial mesh
  Extents extents;   // of the box
  Slab slab;         // the planes that fields have
  Layout layout;
  RowTeam team;
  RowKernels<T> kernels;
  MeasureRows<T> measures;
  VectorRows<T> vectors;
  Metrics<T> metrics;
  std::array<std::vector<T>, 3> wall_drag_of;
  Fields<T> u, next, rate, base;
  Fields<T> kept;  // by keep_velocity()
  Field<T> pressure, pressure_base, source;
  std::unique_ptr<DirectSolver<T>> direct;
  std::unique_ptr<ModeSolver<T>> modes;
  std::unique_ptr<ConjugateGradients<T>> gradients;
  std::unique_ptr<DiffusionSolver<T>> diffusion;
  std::array<double, 3> acceleration, force{};  // force: mean over a step
  double time = 0, tolerance = 0;
  std::int64_t steps = 0;
  int pressure_iterations = 0, diffusion_iterations = 0;
  bool pressure_in_direct = false, velocity_in_transfer = false;
};

template <class T>
template <class At>
void Solver<T>::Parts::set(const std::array<const T*, 3>& velocity, const T* pressure_of, const At& at) {
  finish_velocity();
  team.for_each([&](int j, int k) {
    for (std::size_t c = 0; c < 3; ++c) {
      T* to = u[c].at(layout, j, k);
      const T* wall_drag = wall_drag_at(c, j, k);
      const int first_closed = open(static_cast<int>(c), j, k);
      for (int i = 0; i < extents.nx; ++i)
        to[i] = i >= first_closed || (wall_drag && wall_drag[i] < 0) ? T(0) : velocity[c][at(i, j, k)];
    }
    for (int i = 0; i < extents.nx; ++i) pressure.at(layout, j, k)[i] = pressure_of[at(i, j, k)];
  });
}

template <class T>
template <class At>
void Solver<T>::Parts::get(const std::array<T*, 3>& velocity, T* pressure_of, const At& at) {
  const double mean = begin_pressure();
  const bool rows_are_contiguous = extents.nx == 1 || at(1, 0, 0) == at(0, 0, 0) + 1;
  team.for_each([&](int j, int k) {
    // The compiler vectorises loops whose stride it knows.
    const auto copy_row = [&](const auto& index) {
      for (std::size_t c = 0; c < 3; ++c) {
        const T* from = u[c].at(layout, j, k);
        for (int i = 0; i < extents.nx; ++i) velocity[c][index(i)] = from[i];
      }
      if (problem.solid.empty()) {
        const T* from = pressure_at(j, k);
        for (int i = 0; i < extents.nx; ++i) pressure_of[index(i)] = static_cast<T>(from[i] - mean);
      } else {
        for (int i = 0; i < extents.nx; ++i) pressure_of[index(i)] = pressure_value(i, j, k, mean);
      }
    };
    const std::size_t first = at(0, j, k);
    if (rows_are_contiguous)
      copy_row([first](int i) { return first + static_cast<std::size_t>(i); });
    else
      copy_row([&](int i) { return at(i, j, k); });
  });
}

extern template struct Solver<float>::Parts;
extern template struct Solver<double>::Parts;

}  // namespace speedwell::incompressible_flow

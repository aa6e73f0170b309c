// The data of a solver on all cores.
#pragma once

#include <memory>

#include "speedwell/apps/incompressible_flow/conjugate_gradients.hpp"
#include "speedwell/apps/incompressible_flow/diffusion_solver.hpp"
#include "speedwell/apps/incompressible_flow/direct_solver.hpp"
#include "speedwell/apps/incompressible_flow/fields.hpp"
#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/apps/incompressible_flow/metrics.hpp"
#include "speedwell/apps/incompressible_flow/mode_solver.hpp"

namespace speedwell::incompressible_flow {

template <class T>
struct Solver<T>::Parts {
  Parts(const Problem& given, const Options& o);

  void step(double dt);
  void momentum(const RungeKuttaCoefficients& s, double dt, const std::array<double, 3>& shrink);
  void move_mesh(double to);
  void keep_bulk_velocity(Fields<T>& field, double length);
  void diffuse(const RungeKuttaCoefficients& s, double dt);
  void solve_pressure(double length);
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
  const T* pressure_at(int j, int k) const {
    return pressure_in_direct ? direct->row(j, k) : pressure.at(layout, j, k);
  }
  bool is_solid(int i, int j, int k) const { return !problem.solid.empty() && problem.solid[extents.at(i, j, k)]; }
  MeshMetrics<T> metrics_at(int j, int k) const { return at_row(metrics.mesh(), j, k); }
  const T* wall_drag_at(std::size_t c, int j, int k) const {
    return wall_drag_of[c].empty() ? nullptr : wall_drag_of[c].data() + extents.at(0, j, k);
  }
  int open(int c, int j, int k) const {
    if (problem.periodic(c)) return extents.nx;
    if (c == 0) return extents.nx - 1;
    const int at = c == 1 ? j : k;
    return at == extents.extent(c) - 1 ? 0 : extents.nx;
  }
  bool trapezoidal() const { return options.method.diffusion == Diffusion::trapezoidal; }

  Options options;
  Choice choice;
  Problem problem;   // with its axes in the order of the choice, and the present mesh
  Problem original;  // the same with the initial mesh
  Extents extents;
  Layout layout;
  RowTeam team;
  RowKernels<T> kernels;
  Metrics<T> metrics;
  std::array<std::vector<T>, 3> wall_drag_of;
  Fields<T> u, next, rate, base;
  Field<T> pressure, pressure_base, source;
  std::unique_ptr<DirectSolver<T>> direct;
  std::unique_ptr<ModeSolver<T>> modes;
  std::unique_ptr<ConjugateGradients<T>> gradients;
  std::unique_ptr<DiffusionSolver<T>> diffusion;
  std::array<double, 3> acceleration, force{};  // force: mean over a step
  double time = 0, tolerance = 0;
  std::int64_t steps = 0;
  int pressure_iterations = 0, diffusion_iterations = 0;
  bool pressure_in_direct = false;
};

extern template struct Solver<float>::Parts;
extern template struct Solver<double>::Parts;

}  // namespace speedwell::incompressible_flow

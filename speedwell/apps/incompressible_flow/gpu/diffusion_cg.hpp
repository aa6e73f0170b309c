// Implicit diffusion on a GPU: (1 - factor lap) u = b for one component, by conjugate gradients with the diagonal as
// preconditioner, the method of diffusion_solver.hpp, in a device-side loop. For CUDA sources only.
#pragma once

#include "speedwell/apps/incompressible_flow/gpu/cells.hpp"
#include "speedwell/numerics/loop_graph.hpp"

namespace speedwell::incompressible_flow::gpu {

struct DiffusionScalars {
  double factor = 0, goal = 0, rho = 0, scale = 0;  // squares in the norm of the diagonal
  double alpha = 0, beta = 0;
  void* x = nullptr;  // the component to solve for
  int iteration = 0, running = 0;
  int all_iterations = 0, failed = 0;  // since the last report
};

template <class T>
class DiffusionCg {
 public:
  struct Settings {
    Shape shape;
    MeshMetrics<T> metrics;
    const T* wall_drag[3];  // as in Momentum
    GhostCoefficients<T> ghosts[3][3][2];
    double viscosity;
  };
  /// Records the iterations as a graph on the stream.
  DiffusionCg(const Settings& settings, const core::Stream& stream);
  /// Records the iterations again, on another stream.
  void record(const core::Stream& stream);

  /// Enqueues the solution with `next`, component c of a velocity, as the right-hand side, which it overwrites; the
  /// factor is length dt viscosity / 2. The initial guess is `u`, whose ghost cells are filled. Both point to cell
  /// (0,0,0). `by_host` as in PressureCg.
  void solve(int c, double length, const StepValues* values, const T* u, T* next, const core::Stream& stream,
             bool by_host);

  struct Report {
    int iterations = 0;
    bool failed = false;
    double residual = 0;  // relative to the right-hand side, of the last solve
  };
  /// A report of the solves since the last call. Waits for them.
  Report report(const core::Stream& stream);

  static constexpr int fields = 3;

  /// Public because they contain device lambdas.
  void begin(int c, double length, const StepValues* values, const T* u, T* next, const core::Stream& stream);
  void iterate(int c, const core::Stream& stream);

 private:
  Settings s_;
  Cells cells_;
  core::DeviceBuffer<T> r_, p_, q_;
  core::DeviceBuffer<DiffusionScalars> scalars_;
  numerics::LoopGraph loops_[3];
};

extern template class DiffusionCg<float>;
extern template class DiffusionCg<double>;

}  // namespace speedwell::incompressible_flow::gpu

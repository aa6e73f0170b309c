// Implicit diffusion on a GPU: (1 - factor lap) u = b for one component, by conjugate gradients with the diagonal as
// preconditioner, the method of diffusion_solver.hpp. Iterations are the device's own. Included by CUDA sources alone.
#pragma once

#include "speedwell/apps/incompressible_flow/gpu/cells.hpp"
#include "speedwell/numerics/loop_graph.hpp"

namespace speedwell::incompressible_flow::gpu {

struct DiffusionScalars {
  double factor = 0, goal = 0, rho = 0, scale = 0;  // squares in the norm of the diagonal
  double alpha = 0, beta = 0;
  void* x = nullptr;  // the component that is solved for
  int iteration = 0, running = 0;
  int all_iterations = 0, failed = 0;  // since they were last asked for
};

template <class T>
class DiffusionCg {
 public:
  struct Settings {
    Shape shape;
    MeshMetrics<T> metrics;
    const T* friction[3];  // as in Momentum
    Beyond<T> beyond[3][3][2];
    double viscosity;
  };
  /// Records the iterations on the stream.
  DiffusionCg(const Settings& settings, const core::Stream& stream);
  /// Records them anew, on another one.
  void record(const core::Stream& stream);

  /// Enqueues: `next`, component c of a velocity, becomes the solution for it as right-hand side, with factor
  /// length dt viscosity / 2. Iterations begin with `u`, which has its layer. Both at cell (0,0,0). by_host as in
  /// PressureCg.
  void solve(int c, double length, const StepValues* values, const T* u, T* next, const core::Stream& stream,
             bool by_host);

  struct Report {
    int iterations = 0;
    bool failed = false;
    double residual = 0;  // over the right-hand side's, of the last solve
  };
  /// Of the solves since the last call; waits for them.
  Report report(const core::Stream& stream);

  static constexpr int fields = 3;

  /// Public because they have lambdas for the device.
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

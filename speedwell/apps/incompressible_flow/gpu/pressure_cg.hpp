// Conjugate gradients for the pressure on a GPU, on any mesh with any solids: the method of conjugate_gradients.hpp.
// With solids in a box that the direct solver supports, those of interface_cg.hpp come first, and usually no iterations
// on fields remain. The loop is on the device: a graph with a conditional node. For CUDA sources only.
#pragma once

#include <functional>
#include <optional>

#include "speedwell/apps/incompressible_flow/gpu/cells.hpp"
#include "speedwell/apps/incompressible_flow/gpu/interface_cg.hpp"
#include "speedwell/numerics/loop_graph.hpp"

namespace speedwell::incompressible_flow::gpu {

struct CgScalars {
  double tolerance = 0, goal = 0, residual = 0;  // squares of residuals
  double share = 0, mean = 0, rho = 0, alpha = 0, beta = 0;
  int iteration = 0, max_iterations = 0, running = 0;
  int all_iterations = 0;  // since the last report
  int failed = 0;          // whether a solve did not converge, since the last report
};

template <class T>
class PressureCg {
 public:
  struct Settings {
    Shape shape;
    MeshMetrics<T> metrics;
    const T* fluid;             // 1 and 0 by cell; null: all fluid
    const T* inverse_diagonal;  // for the polynomial preconditioner; null: the direct solver is the preconditioner
    T* source;                  // right-hand sides, in the order of spectral_index(); overwritten
    double fluid_cells, fluid_volume;
    double tolerance;
    int max_iterations;
    /// Enqueues the direct solution for `source`, which it overwrites.
    std::function<void(const core::Stream&)> solve_directly;
    /// Iterations on the cells next to solids; null: all iterations are on fields.
    InterfaceCg<float>* fp32_cg = nullptr;
    InterfaceCg<double>* fp64_cg = nullptr;
  };
  /// Records the iterations as a graph on the stream.
  PressureCg(const Settings& settings, const core::Stream& stream);
  /// Records the iterations again, on another stream.
  void record(const core::Stream& stream);

  /// The pressure by cell: the initial guess, and afterwards the solution, determined up to a constant.
  T* pressure() { return x_.data(); }
  const T* pressure() const { return x_.data(); }
  /// Enqueues a solution. `by_host`: the host waits after each iteration and controls the loop, for tools that do not
  /// support graphs with conditional nodes; the bits are the same.
  void solve(const core::Stream& stream, bool by_host = false);
  /// Enqueues the subtraction of the pressure's mean over the fluid's volume.
  void centre(const core::Stream& stream);

  struct Report {
    int iterations = 0;
    bool failed = false;
    double residual = 0;  // relative to the right-hand side, of the last solve
  };
  /// A report of the solves since the last call. Waits for them.
  Report report(const core::Stream& stream);

  static int fields(bool direct) { return direct ? 5 : 6; }

  /// The parts of a solution, public because they contain device lambdas: the residual, the start of an iteration, and
  /// an iteration.
  void begin(const core::Stream& stream);
  void iterate(const core::Stream& stream);
  void begin_near_solids(const core::Stream& stream, bool by_host);
  void measure(const T* right, const int* solutions, const core::Stream& stream);
  void to_source(const int* running, const core::Stream& stream);
  void condition(const core::Stream& stream);

 private:
  Settings s_;
  Cells cells_;
  core::DeviceBuffer<T> x_, r_, z_, p_, q_, scaled_;
  core::DeviceBuffer<CgScalars> scalars_;
  numerics::LoopGraph loop_;
};

extern template class PressureCg<float>;
extern template class PressureCg<double>;

}  // namespace speedwell::incompressible_flow::gpu

// Conjugate gradients for the pressure on a GPU, on any mesh with any solids: the method of conjugate_gradients.hpp.
// With solids in a box that the direct solver does, those of interface_cg.hpp come first and leave nothing to do. The
// iterations are the device's own: a graph with a conditional node. Included by CUDA sources alone.
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
  int iteration = 0, most = 0, running = 0;
  int all_iterations = 0;  // since they were last asked for
  int failed = 0;          // a solve that did not converge, since then
};

template <class T>
class PressureCg {
 public:
  struct Settings {
    Shape shape;
    MeshMetrics<T> metrics;
    const T* fluid;             // 1 and 0 by cell; null: all fluid
    const T* inverse_diagonal;  // of the polynomial preconditioner; null: the direct solver's
    T* source;                  // right-hand sides, in the order of spectral_place(); overwritten
    double fluid_cells, fluid_volume;
    double tolerance;
    int max_iterations;
    /// Enqueues: what is at `source` becomes what the direct solver makes of it.
    std::function<void(const core::Stream&)> solve_directly;
    /// The same on the cells beside solids; null: all iterations are of fields.
    InterfaceCg<float>* quick = nullptr;
    InterfaceCg<double>* exact = nullptr;
  };
  /// Records the iterations on the stream.
  PressureCg(const Settings& settings, const core::Stream& stream);
  /// Records them anew, on another one.
  void record(const core::Stream& stream);

  /// By cell, from where iterations begin; the solution afterwards, with some constant in it.
  T* pressure() { return x_.data(); }
  const T* pressure() const { return x_.data(); }
  /// Enqueues a solution. by_host: the host waits after each iteration and decides on the next, for tools that do not
  /// follow graphs with conditional nodes; the bits are the same.
  void solve(const core::Stream& stream, bool by_host = false);
  /// Enqueues what makes the pressure's mean over the fluid's volume 0.
  void centre(const core::Stream& stream);

  struct Report {
    int iterations = 0;
    bool failed = false;
    double residual = 0;  // over the right-hand side's, of the last solve
  };
  /// Of the solves since the last call; waits for them.
  Report report(const core::Stream& stream);

  static int fields(bool direct) { return direct ? 5 : 6; }

  /// The parts of a solution, which are public because they have lambdas for the device: the residual, an iteration,
  /// and what it begins with.
  void begin(const core::Stream& stream);
  void iterate(const core::Stream& stream);
  void begin_beside_solids(const core::Stream& stream, bool by_host);
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

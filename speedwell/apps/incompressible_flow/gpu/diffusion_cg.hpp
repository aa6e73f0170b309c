// Implicit diffusion on a GPU: (1 - factor lap) u = b for one component, by conjugate gradients with the diagonal as
// preconditioner, the method of diffusion_solver.hpp, in a device-side loop. On slabs of several GPUs each iteration
// exchanges a plane of the search direction with both neighbours, and the host decides on the loop. For CUDA sources
// only.
#pragma once

#include "speedwell/apps/incompressible_flow/gpu/cells.hpp"
#include "speedwell/apps/incompressible_flow/gpu/ranks/rank_sums.hpp"
#include "speedwell/comm/gpu/device_halo_exchange.hpp"
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
    /// For a slab, else null: sums over the ranks, and the exchange of the planes of a field by cell.
    const RankSums* sums = nullptr;
    comm::DeviceHaloExchange<T>* planes = nullptr;
  };
  /// Records the iterations as a graph on the stream.
  DiffusionCg(const Settings& settings, const core::Stream& stream);
  /// Records the iterations again, on another stream.
  void record(const core::Stream& stream);

  /// Enqueues the solution with `next`, component c of a velocity, as the right-hand side, which it overwrites; the
  /// factor is length dt viscosity / 2. The initial guess is `u`, whose ghost cells are filled. Both point to cell
  /// (0,0,0). `by_host` as in PressureCg. With slabs it is collective, and the host always decides.
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
  bool is_divided() const { return s_.planes != nullptr; }
  /// Cells::add_up() while `running`, over all ranks.
  template <int n, class Body, class Finish>
  void add_up(const int* running, const Body& body, const Finish& finish, const core::Stream& stream) {
    s_.sums ? s_.sums->template add_up<n>(cells_, body, finish, stream)
            : cells_.template add_up<n>(running, body, finish, stream);
  }

  Settings s_;
  Cells cells_;
  core::DeviceBuffer<T> r_, p_, q_;  // p of a slab has a plane below the first one, and one above the last
  core::DeviceBuffer<DiffusionScalars> scalars_;
  numerics::LoopGraph loops_[3];
};

extern template class DiffusionCg<float>;
extern template class DiffusionCg<double>;

}  // namespace speedwell::incompressible_flow::gpu

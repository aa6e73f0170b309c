// Implicit diffusion on slabs of several GPUs: the trapezoidal rule (trapezoidal.hpp), whose pressure a step starts
// from, and its conjugate gradients (diffusion_cg.hpp). For CUDA sources only.
#pragma once

#include <optional>

#include "speedwell/apps/incompressible_flow/gpu/diffusion_cg.hpp"
#include "speedwell/apps/incompressible_flow/gpu/ranks/rank_sums.hpp"
#include "speedwell/apps/incompressible_flow/gpu/trapezoidal.hpp"
#include "speedwell/comm/gpu/device_halo_exchange.hpp"

namespace speedwell::incompressible_flow::gpu {

template <class T>
class DistributedDiffusion {
 public:
  /// One slab, also that of a box on one rank.
  struct Settings {
    Shape shape;  // of the slab
    MeshMetrics<T> metrics;
    const StepValues* values;
    double viscosity;
    GhostCoefficients<T> ghosts[3][3][2];
    /// Sums over the ranks, and an exchange of the planes of a field by cell; both null on one rank.
    const RankSums* sums = nullptr;
    comm::DeviceHaloExchange<T>* planes = nullptr;
  };
  /// A part of a step: velocities at cell (0,0,0) that momentum without viscosity has read and has computed. The ghost
  /// cells of `first`, which it started from, and of `u` are filled.
  struct Part {
    const T* first[3];
    const T* u[3];
    T* next[3];
    double length;  // as a factor of dt
  };

  DistributedDiffusion(const Settings& settings, const core::Stream& stream);

  /// Enqueues what precedes the divergence of a part: half of the diffusion of `first` and the gradient of the present
  /// pressure are added to `next`, and the other half is solved for. The host waits after each iteration.
  void begin_part(const Part& part, const core::Stream& stream);
  /// Where the divergence goes, by cell, for end_part().
  T* divergence() { return divergence_.data(); }
  /// Enqueues what follows the projection: the change of the pressure that it has used, in the order of
  /// spectral_index(), is added to the pressure.
  void end_part(const T* change, double length, const core::Stream& stream);
  /// Enqueues the subtraction of the pressure's mean over the box.
  void end_step(const core::Stream& stream);

  /// The pressure of the cells of the slab, after their centring at the end of a step without a mean.
  T* pressure() { return pressure_.data() + first_; }
  /// The saved pressure, of as many cells.
  T* given() { return given_.data(); }
  void save(const core::Stream& stream) {
    core::copy_async(given(), static_cast<const T*>(pressure()), given_.size(), stream);
  }
  void restore(const core::Stream& stream) {
    core::copy_async(pressure(), static_cast<const T*>(given()), given_.size(), stream);
  }
  /// Iterations since the last call; waits. Throws core::DeviceError if some solve did not converge; the flow is then
  /// not usable.
  int iterations(const core::Stream& stream);

 private:
  Settings s_;
  Cells cells_;
  // The pressure of a slab has a plane below the first one, which is not used, and one above the last.
  core::DeviceBuffer<T> pressure_, given_, divergence_;
  std::size_t first_ = 0;
  Trapezoidal<T> trapezoid_;
  std::optional<DiffusionCg<T>> cg_;  // of a fluid with viscosity
};

extern template class DistributedDiffusion<float>;
extern template class DistributedDiffusion<double>;

}  // namespace speedwell::incompressible_flow::gpu

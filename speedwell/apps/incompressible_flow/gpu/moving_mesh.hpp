// A moving mesh on a GPU: every table of widths and eigenvalues is a power of its axis's stretch times the initial
// table. Solvers on one and on several GPUs have the tables of the whole box. For CUDA sources only.
#pragma once

#include "speedwell/apps/incompressible_flow/gpu/kernels.hpp"
#include "speedwell/apps/incompressible_flow/strain_step.hpp"

namespace speedwell::incompressible_flow::gpu {

template <class T>
class MovingMesh {
 public:
  /// A table on the device, and what it was before the mesh moved.
  struct Table {
    const T* rest = nullptr;
    T* now = nullptr;
    int count = 0, axis = 0, power = 0;
  };
  /// The argument of a kernel.
  struct Tables {
    Table table[10];
    int count = 0, longest = 0;
  };

  MovingMesh() = default;
  /// Enqueues copies of the initial tables, which must outlive the object. `widths[d]`: the widths of cells along axis
  /// d, then three tables of as many inverse lengths. The others are inverse squares of lengths: of modes along x and
  /// y, and the neighbours' weights below and above along z.
  MovingMesh(core::DeviceBuffer<T> (&widths)[3], core::DeviceBuffer<T>& lambda_x, core::DeviceBuffer<T>& lambda_y,
             core::DeviceBuffer<T>& low, core::DeviceBuffer<T>& high, const core::Stream& stream);

  /// Enqueues the update of the tables to StepValues::stretch[stage]; `values` is on the device.
  void enqueue(const StepValues* values, int stage, const core::Stream& stream) const;

 private:
  const T* keep(core::DeviceBuffer<T>& table, const core::Stream& stream);
  void add(const T* rest, T* now, std::size_t count, int axis, int power);

  core::DeviceBuffer<T> rest_[7];
  int kept_ = 0;
  Tables tables_;
};

/// Sets StepValues::stretch and shrink.
void set_stretch(StepValues& values, const StrainStep& step);

}  // namespace speedwell::incompressible_flow::gpu

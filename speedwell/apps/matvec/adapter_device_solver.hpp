// What the GPU variants of matvec for the harness have in common. Included by CUDA sources alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "speedwell/apps/matvec/adapter_workload.hpp"
#include "speedwell/apps/matvec/gpu_solver.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::matvec {

template <class T>
class DeviceSolver {
 public:
  DeviceSolver(const Inputs<T>& inputs, Layout layout) : inputs_(inputs), layout_(layout) {}

  void allocate() { solver_.emplace(inputs_.a().rows, inputs_.a().columns, layout_); }
  void upload(const core::Stream& stream) { solver_->upload(inputs_.a(), inputs_.b(), stream); }
  void poison(const core::Stream& stream) { harness::poison_async(solver_->device_result(), stream); }
  void download(core::HostBuffer<T>& c, const core::Stream& stream) { solver_->download(c.span(), stream); }
  harness::Choices choices() const {
    if (layout_ == Layout::dense) return {{"host_memory", "pageable"}, {"layout", "as on the host"}};
    if (layout_ == Layout::pitched)
      return {{"host_memory", "pageable"}, {"layout", "rows padded to " + std::to_string(pitch_bytes) + " bytes"}};
    return {{"host_memory", "pageable"},
            {"layout", "transposed on the device, inside upload"},
            {"transpose_s", std::to_string(solver_->transpose_seconds())}};
  }

 protected:
  GpuSolver<T>& solver() { return *solver_; }
  const Operands<T>& operands() const { return solver_->operands(); }

 private:
  const Inputs<T>& inputs_;
  Layout layout_;
  std::optional<GpuSolver<T>> solver_;
};

}  // namespace speedwell::matvec

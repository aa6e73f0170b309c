// What the GPU variants of matvec for the harness have in common. Included by CUDA sources alone.
#pragma once

#include <optional>
#include <span>
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
  void poison(const core::Stream& stream) {
    const std::span<T> c = solver_->device_result();
    core::check(cudaMemsetAsync(c.data(), 0xff, c.size_bytes(), stream.get()));
  }
  void download(core::HostBuffer<T>& c, const core::Stream& stream) { solver_->download(c.span(), stream); }
  harness::Choices choices() const {
    harness::Choices all = {{"host_memory", "pageable"}};
    if (layout_ == Layout::dense) all.push_back({"layout", "as on the host"});
    if (layout_ == Layout::pitched)
      all.push_back({"layout", "rows padded to " + std::to_string(pitch_bytes) + " bytes"});
    if (layout_ == Layout::transposed) {
      all.push_back({"layout", "transposed on the device, inside upload"});
      all.push_back({"transpose_s", std::to_string(solver_->transpose_seconds())});
    }
    return all;
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

// What the GPU variants of matvec for the harness have in common. Included by CUDA sources alone.
#pragma once

#include <string>
#include <vector>

#include "speedwell/apps/matvec/adapter_workload.hpp"
#include "speedwell/apps/matvec/gpu_solver.hpp"
#include "speedwell/harness/device_solver_run.hpp"

namespace speedwell::matvec {

template <class T>
class DeviceSolver : public GpuSolver<T> {
 public:
  DeviceSolver(const Inputs<T>& inputs, Layout layout)
      : GpuSolver<T>(inputs.a().rows, inputs.a().columns, layout), inputs_(inputs), layout_(layout) {}

  void upload(const core::Stream& stream) { GpuSolver<T>::upload(inputs_.a(), inputs_.b(), stream); }
  void download(core::HostBuffer<T>& c, const core::Stream& stream) { GpuSolver<T>::download(c.span(), stream); }
  harness::Choices choices() const {
    harness::Choices all = {{"host_memory", "pageable"}};
    if (layout_ == Layout::dense) all.push_back({"layout", "as on the host"});
    if (layout_ == Layout::pitched)
      all.push_back({"layout", "rows padded to " + std::to_string(pitch_bytes) + " bytes"});
    if (layout_ == Layout::transposed) {
      all.push_back({"layout", "transposed on the device, inside upload"});
      all.push_back({"transpose_s", std::to_string(this->transpose_seconds())});
    }
    return all;
  }

 private:
  const Inputs<T>& inputs_;
  Layout layout_;
};

}  // namespace speedwell::matvec

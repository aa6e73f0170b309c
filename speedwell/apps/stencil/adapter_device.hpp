// What the solvers of stencil on a GPU share: x and y in device memory. Included by CUDA sources only.
#pragma once

#include <vector>

#include "speedwell/apps/stencil/adapter_workload.hpp"
#include "speedwell/apps/stencil/gpu_stencil.hpp"
#include "speedwell/harness/device_solver_run.hpp"

namespace speedwell::stencil {

template <class T>
class DeviceVectors {
 public:
  explicit DeviceVectors(const Inputs<T>& inputs) : inputs_(inputs) {}

  void allocate() {
    x_ = core::DeviceBuffer<T>(inputs_.x().size());
    y_ = core::DeviceBuffer<T>(inputs_.output_size());
  }
  void upload(const core::Stream& stream) {
    core::copy_async(x_.data(), inputs_.x().data(), x_.size(), stream);
    stream.synchronize();
  }
  void poison(const core::Stream& stream) { core::fill_bytes_async(y_, 0xff, stream); }
  void download(Answer<T>& answer, const core::Stream& stream) {
    core::copy_async(answer.y.data(), y_.data(), y_.size(), stream);
    stream.synchronize();
  }

 protected:
  const Inputs<T>& inputs() const { return inputs_; }
  const Spec& spec() const { return inputs_.spec(); }
  const T* x() const { return x_.data(); }
  T* y() { return y_.data(); }
  void clear_y(const core::Stream& stream) { core::fill_bytes_async(y_, 0, stream); }

 private:
  const Inputs<T>& inputs_;
  core::DeviceBuffer<T> x_, y_;
};

}  // namespace speedwell::stencil

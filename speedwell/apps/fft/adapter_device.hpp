// What the solvers of fft on a GPU share: input and output in device memory. Included by CUDA sources only.
#pragma once

#include <vector>

#include "speedwell/apps/fft/adapter_workload.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::fft {

template <class T>
class DeviceArrays {
 public:
  DeviceArrays(const Inputs<T>& inputs, const harness::Context&) : inputs_(inputs) {}

  void allocate() {
    in_ = core::DeviceBuffer<T>(inputs_.in().size());
    out_ = core::DeviceBuffer<T>(static_cast<std::size_t>(output_reals(inputs_.problem())));
  }
  void upload(const core::Stream& stream) {
    core::copy_async(in_.data(), inputs_.in().data(), in_.size(), stream);
    stream.synchronize();
  }
  void poison(const core::Stream& stream) { core::fill_bytes_async(out_, 0xff, stream); }
  void download(core::HostBuffer<T>& out, const core::Stream& stream) {
    core::copy_async(out.data(), static_cast<const T*>(out_.data()), out_.size(), stream);
    stream.synchronize();
  }

 protected:
  const Inputs<T>& inputs() const { return inputs_; }
  const Problem& problem() const { return inputs_.problem(); }
  std::span<T> in() { return in_.span(); }
  std::span<T> out() { return out_.span(); }

 private:
  const Inputs<T>& inputs_;
  core::DeviceBuffer<T> in_, out_;
};

}  // namespace speedwell::fft

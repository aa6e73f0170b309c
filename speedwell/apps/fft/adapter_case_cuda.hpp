// What the runs on a GPU share: input and output in device memory, and the output's way back. Included by CUDA sources
// alone.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/fft/adapter_case.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/harness/gpu_run.hpp"

namespace speedwell::fft {

template <class T>
class DeviceRun : public harness::GpuRun {
 public:
  explicit DeviceRun(std::shared_ptr<const Inputs<T>> inputs) : inputs_(std::move(inputs)) {}

  void allocate() override {
    in_ = core::DeviceBuffer<T>(inputs_->in().size());
    out_ = core::DeviceBuffer<T>(static_cast<std::size_t>(output_reals(problem())));
    result_ = core::HostBuffer<T>(static_cast<std::int64_t>(out_.size()));
  }
  void upload() override {
    core::copy_async(in_.data(), inputs_->in().data(), in_.size(), stream());
    stream().synchronize();
  }
  void poison() override {
    core::fill_bytes_async(out_, 0xff, stream());
    std::memset(result_.data(), 0xff, result_.bytes());
  }
  void download() override {
    core::copy_async(result_.data(), static_cast<const T*>(out_.data()), out_.size(), stream());
    stream().synchronize();
  }
  core::Verdict verify() override { return inputs_->judge(std::as_const(result_).span()); }
  std::vector<harness::Output> outputs() override { return output_of(problem(), result_); }

 protected:
  const Problem& problem() const { return inputs_->problem(); }
  bool is_real() const { return problem().data == Data::real; }
  bool is_backward() const { return problem().direction == Direction::backward; }
  std::span<T> in() { return in_.span(); }
  std::span<T> out() { return out_.span(); }

 private:
  std::shared_ptr<const Inputs<T>> inputs_;
  core::DeviceBuffer<T> in_, out_;
  core::HostBuffer<T> result_;
};

/// make_in_precision() on the device of the context, which a run's stream must be made on.
template <template <class> class RunType, class... Args>
harness::Variant::Make make_on_device(Args... args) {
  return [make = harness::make_in_precision<Inputs, RunType>(args...)](
             std::shared_ptr<const harness::Workload> prepared, const harness::Context& context) {
    core::check(cudaSetDevice(context.device));
    return make(std::move(prepared), context);
  };
}

/// The function behind cuFFT's row; none where cuFFT was not found (adapter_without_cufft.cpp).
std::vector<harness::Binding> cufft_runs();

}  // namespace speedwell::fft

// What every run in device memory has: x there, y there and back. Included by CUDA sources alone.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "speedwell/apps/stencil/adapter_case.hpp"
#include "speedwell/apps/stencil/gpu_stencil.hpp"
#include "speedwell/harness/gpu_run.hpp"

namespace speedwell::stencil {

template <class T>
class DeviceRun : public harness::GpuRun {
 public:
  explicit DeviceRun(std::shared_ptr<const Inputs<T>> inputs) : inputs_(std::move(inputs)) {}

  void allocate() override {
    x_ = core::DeviceBuffer<T>(inputs_->x().size());
    y_ = core::DeviceBuffer<T>(inputs_->outputs());
    answer_.allocate(*inputs_);
  }
  void upload() override {
    core::copy_async(x_.data(), inputs_->x().data(), x_.size(), stream());
    stream().synchronize();
  }
  void poison() override {
    core::fill_bytes_async(y_, 0xff, stream());
    answer_.poison();
    result_ = {};
  }
  void download() override {
    core::copy_async(answer_.span().data(), y_.data(), y_.size(), stream());
    stream().synchronize();
  }
  core::Verdict verify() override { return inputs_->judge(answer_.span(), result_); }
  std::vector<harness::Output> outputs() override { return answer_.outputs(); }

 protected:
  const Inputs<T>& inputs() const { return *inputs_; }
  const T* x() const { return x_.data(); }
  T* y() { return y_.data(); }
  CgResult result_;  // cg

 private:
  std::shared_ptr<const Inputs<T>> inputs_;
  core::DeviceBuffer<T> x_, y_;
  Answer<T> answer_;
};

template <template <class> class RunType, class... Args>
harness::Variant::Make make_on_device(Args... args) {
  return harness::on_device(make_in_precision<RunType>(args...));
}

/// The functions behind cuSPARSE's rows; none where it was not found (adapter_without_cusparse.cpp).
std::vector<harness::Binding> cusparse_runs();

}  // namespace speedwell::stencil

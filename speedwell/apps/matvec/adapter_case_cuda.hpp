// The run of everything that multiplies in device memory. Included by CUDA sources alone.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/matvec/adapter_case.hpp"
#include "speedwell/apps/matvec/gpu_solver.hpp"
#include "speedwell/harness/gpu_run.hpp"

namespace speedwell::matvec {

template <class T>
class DeviceRun : public harness::GpuRun {
 public:
  DeviceRun(std::shared_ptr<const Inputs<T>> inputs, Layout layout)
      : inputs_(std::move(inputs)), layout_(layout), solver_(inputs_->a().rows, inputs_->a().columns, layout) {}

  void allocate() override {
    solver_.allocate();
    c_.allocate(inputs_->a().rows);
  }
  void upload() override { solver_.upload(inputs_->a(), inputs_->b(), stream()); }
  void poison() override {
    solver_.poison(stream());
    c_.poison();
  }
  void download() override { solver_.download(c_.span(), stream()); }
  core::Verdict verify() override { return inputs_->judge(c_.span()); }
  std::vector<harness::Output> outputs() override { return c_.outputs(); }
  std::vector<std::pair<std::string, std::string>> choices() override {
    std::vector<std::pair<std::string, std::string>> all = {{"host_memory", "pageable"}};
    if (layout_ == Layout::dense) all.push_back({"layout", "as on the host"});
    if (layout_ == Layout::pitched)
      all.push_back({"layout", "rows padded to " + std::to_string(pitch_bytes) + " bytes"});
    if (layout_ == Layout::transposed) {
      all.push_back({"layout", "transposed on the device, inside upload"});
      all.push_back({"transpose_s", std::to_string(solver_.transpose_seconds())});
    }
    return all;
  }

 protected:
  const GpuSolver<T>& solver() const { return solver_; }
  GpuSolver<T>& solver() { return solver_; }

 private:
  std::shared_ptr<const Inputs<T>> inputs_;
  Layout layout_;
  GpuSolver<T> solver_;
  Answer<T> c_;
};

/// make_in_precision() on the device of the context, which a run's stream must be made on.
template <template <class> class RunType, class... Args>
harness::Variant::Make make_on_device(Args... args) {
  return [make = make_in_precision<RunType>(args...)](std::shared_ptr<const harness::Workload> prepared,
                                                      const harness::Context& context) {
    core::check(cudaSetDevice(context.device));
    return make(std::move(prepared), context);
  };
}

/// The functions behind cuBLAS's rows; none where cuBLAS was not found (adapter_without_cublas.cpp).
std::vector<harness::Binding> cublas_runs();

}  // namespace speedwell::matvec

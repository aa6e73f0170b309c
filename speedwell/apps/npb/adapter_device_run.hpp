// The run of every GPU variant of every kernel: it forwards to the kernel's solver. Included by CUDA sources alone.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "speedwell/harness/gpu_run.hpp"

namespace speedwell::npb {

/// CaseType has a problem and says what its results are, Solver does it.
template <class CaseType, class Solver>
class DeviceRun final : public harness::GpuRun {
 public:
  DeviceRun(std::shared_ptr<const CaseType> prepared, std::string_view step)
      : case_(std::move(prepared)), solver_(case_->problem, step), result_(case_->poison()) {}

  void allocate() override { solver_.allocate(); }
  void upload() override { solver_.upload(stream()); }
  void poison() override {
    solver_.poison(stream());
    result_ = case_->poison();
  }
  /// The result is in host memory when execute() has ended, as the benchmark's clock wants it.
  void download() override { result_ = solver_.result(); }
  core::Verdict verify() override { return case_->verify(result_); }
  std::vector<harness::Output> outputs() override { return CaseType::outputs(result_); }
  std::vector<std::pair<std::string, std::string>> choices() override { return {{"host_memory", "pinned"}}; }

 protected:
  void enqueue() override { solver_.run(stream()); }

 private:
  std::shared_ptr<const CaseType> case_;
  Solver solver_;
  typename CaseType::Answer result_;
};

/// On the device of the context, which a run's stream must be made on.
template <class CaseType, class Solver>
harness::Variant::Make make_device_run(std::string_view step) {
  return [step](std::shared_ptr<const harness::Workload> prepared,
                const harness::Context& context) -> std::unique_ptr<harness::Run> {
    core::check(cudaSetDevice(context.device));
    return std::make_unique<DeviceRun<CaseType, Solver>>(std::static_pointer_cast<const CaseType>(std::move(prepared)),
                                                         step);
  };
}

}  // namespace speedwell::npb

// What every run in device memory has: the operation's fields there, and its result there and back. Included by CUDA
// sources alone.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "speedwell/apps/vector_calculus/adapter_case.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/harness/gpu_run.hpp"

namespace speedwell::vector_calculus {

template <class T>
class DeviceRun : public harness::GpuRun {
 public:
  explicit DeviceRun(std::shared_ptr<const Inputs<T>> inputs) : inputs_(std::move(inputs)) {}

  void allocate() override {
    const OperationInfo& of = info(problem().operation);
    const auto points = static_cast<std::size_t>(problem().grid.size());
    for (int field = 0; field < of.scalars; ++field) fields_[field] = core::DeviceBuffer<T>(points);
    for (int field = 0; field < of.vectors; ++field) fields_[2 + field] = core::DeviceBuffer<T>(3 * points);
    out_ = core::DeviceBuffer<T>(static_cast<std::size_t>(inputs_->result_words()));
    answer_.allocate(*inputs_);
  }
  void upload() override {
    const Operands<T> host = inputs_->operands();
    const T* const from[] = {host.f, host.g, host.a, host.b, host.c, host.d};
    for (int field = 0; field < 6; ++field)
      if (fields_[field].size() > 0)
        core::copy_async(fields_[field].data(), from[field], fields_[field].size(), stream());
    stream().synchronize();
  }
  void poison() override {
    core::fill_bytes_async(out_, 0xff, stream());
    answer_.poison();
  }
  void download() override { download_from(out_.data()); }
  core::Verdict verify() override { return answer_.verify(*inputs_); }
  std::vector<harness::Output> outputs() override { return answer_.outputs(); }
  std::vector<std::pair<std::string, std::string>> choices() override { return answer_.choices(); }

 protected:
  const Problem& problem() const { return inputs_->problem(); }
  /// In device memory.
  Operands<T> operands() const {
    Operands<T> o = inputs_->operands();
    o.f = fields_[0].data();
    o.g = fields_[1].data();
    o.a = fields_[2].data();
    o.b = fields_[3].data();
    o.c = fields_[4].data();
    o.d = fields_[5].data();
    return o;
  }
  core::DeviceBuffer<T>& vector(int field) { return fields_[2 + field]; }
  core::DeviceBuffer<T>& out() { return out_; }
  void download_from(const T* result) {
    core::copy_async(answer_.data(), result, answer_.size(), stream());
    stream().synchronize();
  }

 private:
  std::shared_ptr<const Inputs<T>> inputs_;
  core::DeviceBuffer<T> fields_[6], out_;  // f, g, a, b, c, d
  Answer<T> answer_;
};

template <template <class> class RunType, class... Args>
harness::Variant::Make make_on_device(Args... args) {
  return harness::on_device(make_in_precision<RunType>(args...));
}

/// The function behind cuBLAS's row; none where it was not found (adapter_without_cublas.cpp).
std::vector<harness::Binding> cublas_runs();

}  // namespace speedwell::vector_calculus

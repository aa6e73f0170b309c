// What the GPU variants of vector_calculus for the harness have in common: the fields that the operation reads and its
// result, in device memory. Included by CUDA sources alone.
#pragma once

#include <vector>

#include "speedwell/apps/vector_calculus/adapter_workload.hpp"
#include "speedwell/apps/vector_calculus/operations/operand_fields.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::vector_calculus {

template <class T>
class DeviceSolver {
 public:
  explicit DeviceSolver(const Inputs<T>& inputs) : inputs_(inputs) {}

  void allocate() {
    const OperationInfo& operation = info(problem().operation);
    const auto points = static_cast<std::size_t>(problem().grid.size());
    for (int field = 0; field < operation.scalars; ++field) fields_[field] = core::DeviceBuffer<T>(points);
    for (int field = 0; field < operation.vectors; ++field) fields_[2 + field] = core::DeviceBuffer<T>(3 * points);
    out_ = core::DeviceBuffer<T>(static_cast<std::size_t>(inputs_.result_words()));
  }
  void upload(const core::Stream& stream) {
    const auto from = fields_of(inputs_.operands());
    for (int field = 0; field < 6; ++field)
      if (fields_[field].size() > 0)
        core::copy_async(fields_[field].data(), from[field], fields_[field].size(), stream);
    stream.synchronize();
  }
  void poison(const core::Stream& stream) { core::fill_bytes_async(out_, 0xff, stream); }
  void download(Result<T>& result, const core::Stream& stream) { download_from(out_.data(), result, stream); }
  harness::Choices choices(const Result<T>& result) const { return result.choices(); }

 protected:
  const Problem& problem() const { return inputs_.problem(); }
  /// In device memory, but for the numbers.
  Operands<T> operands() const { return with_fields(inputs_.operands(), fields_); }
  core::DeviceBuffer<T>& vector(int field) { return fields_[2 + field]; }
  core::DeviceBuffer<T>& out() { return out_; }
  void download_from(const T* words, Result<T>& result, const core::Stream& stream) {
    core::copy_async(result.words.data(), words, result.words.size(), stream);
    stream.synchronize();
  }

 private:
  const Inputs<T>& inputs_;
  core::DeviceBuffer<T> fields_[6], out_;  // f, g, a, b, c, d
};

}  // namespace speedwell::vector_calculus

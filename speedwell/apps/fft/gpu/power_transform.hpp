// Lines of 2^k points that a block holds. Included by CUDA sources alone.
#pragma once

#include "speedwell/apps/fft/gpu/line_transform.hpp"

namespace speedwell::fft::gpu {

template <class T>
class PowerTransform final : public LineTransform<T> {
 public:
  PowerTransform(int log_n, const core::Stream& stream);
  std::int64_t work_points(std::int64_t, bool) const override { return 0; }
  void run(const Job<T>& job, Complex<T>*, const core::Stream& stream) const override;

  int log_n() const { return log_n_; }
  const Complex<T>* table() const { return table_.data(); }

 private:
  int log_n_;
  core::DeviceBuffer<Complex<T>> table_;
};

}  // namespace speedwell::fft::gpu

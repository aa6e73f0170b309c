// Transforms of lines that one block holds: powers of two and smooth lengths. Included by CUDA sources only.
#pragma once

#include "speedwell/numerics/fft/gpu/device/smooth.hpp"
#include "speedwell/numerics/fft/gpu/line_transform.hpp"
#include "speedwell/numerics/fft/gpu/roots.hpp"

namespace speedwell::fft::gpu {

template <class T>
class BlockTransform final : public LineTransform<T> {
 public:
  BlockTransform(std::int64_t n, const core::Stream& stream);
  void run(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const override;
  /// Transforms columns as one of several steps: point k of line l is multiplied by root l % columns * k. The output is
  /// neither scaled nor conjugated.
  void run_with_twiddles(const Job<T>& job, const Roots<T>& roots, std::int64_t columns,
                         const core::Stream& stream) const;

  /// Only for powers of two.
  int log_n() const { return log_n_; }
  const Complex<T>* table() const { return table_.data(); }

 private:
  int log_n_ = -1;  // -1 for a smooth length
  SmoothLine smooth_;
  core::DeviceBuffer<Complex<T>> table_;
};

}  // namespace speedwell::fft::gpu

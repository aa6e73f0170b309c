// Transforms of lines longer than one block holds, with one pass over memory per factor (a generalisation of Bailey's
// four-step algorithm): transforms of columns of a factor, multiplied by twiddles, in place; the last factor reads rows
// and stores columns of the result. Included by CUDA sources only.
#pragma once

#include <memory>
#include <vector>

#include "speedwell/numerics/fft/gpu/block_transform.hpp"
#include "speedwell/numerics/fft/gpu/method.hpp"

namespace speedwell::fft::gpu {

template <class T>
class StepsTransform final : public LineTransform<T> {
 public:
  StepsTransform(const LineMethod& method, const core::Stream& stream);
  void run(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const override;

 private:
  void run_batch(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const;
  void run_rows(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const;
  void run_last(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const;

  LineMethod method_;
  std::vector<std::unique_ptr<BlockTransform<T>>> factors_;
  std::vector<std::unique_ptr<RootsOnDevice<T>>> roots_;  // the twiddles after each factor but the last
};

}  // namespace speedwell::fft::gpu

// Lines longer than a block holds, in as many steps as there are factors (Bailey's four steps, one way through memory
// for each factor): columns of a factor, times roots, in place; rows of the last factor to columns of the result.
// Included by CUDA sources alone.
#pragma once

#include <memory>
#include <vector>

#include "speedwell/apps/fft/gpu/block_transform.hpp"
#include "speedwell/apps/fft/gpu/method.hpp"

namespace speedwell::fft::gpu {

template <class T>
class StepsTransform final : public LineTransform<T> {
 public:
  StepsTransform(const LineMethod& method, const core::Stream& stream);
  void run(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const override;

 private:
  void run_part(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const;
  void run_rows(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const;
  void run_last(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const;

  LineMethod method_;
  std::vector<std::unique_ptr<BlockTransform<T>>> factors_;
  std::vector<std::unique_ptr<RootsOnDevice<T>>> roots_;  // after each factor but the last
};

}  // namespace speedwell::fft::gpu

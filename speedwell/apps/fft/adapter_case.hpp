// What the runs of fft share: the inputs, the oracle's answer when it is first asked for, and the output in host
// memory.
#pragma once

#include <complex>
#include <cstring>
#include <mutex>

#include "speedwell/apps/fft/problem.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/harness/precision.hpp"

namespace speedwell::fft {

/// One problem's input in T. The oracle computes when the first run asks, and then never again.
template <class T>
class Inputs {
 public:
  explicit Inputs(const Problem& problem) : problem_(problem), in_(input_reals(problem), core::Pages::large) {
    fill<T>(problem, in_.span());
  }
  const Problem& problem() const { return problem_; }
  std::span<const T> in() const { return in_.span(); }
  core::Verdict judge(std::span<const T> out) const {
    std::call_once(asked_, [this] { expected_ = expect<T>(problem_, in_.span()); });
    return verify<T>(problem_, expected_, out);
  }

 private:
  Problem problem_;
  core::HostBuffer<T> in_;
  mutable std::once_flag asked_;
  mutable std::vector<reference::Complex> expected_;
};

using FftCase = harness::PrecisionCase<Inputs>;

/// The transform in host memory as a run's output: extents of reals, two of which are a point of complex results.
template <class T>
std::vector<harness::Output> output_of(const Problem& problem, core::HostBuffer<T>& out) {
  std::vector<std::size_t> extents = {static_cast<std::size_t>(problem.shape.batch)};
  std::size_t lines = extents[0];
  for (std::size_t d = 0; d + 1 < problem.shape.extents.size(); ++d) {
    extents.push_back(static_cast<std::size_t>(problem.shape.extents[d]));
    lines *= extents.back();
  }
  extents.push_back(out.size() / lines);
  return {{.name = "out",
           .type = harness::element_type<T>,
           .data = out.data(),
           .count = out.size(),
           .extents = std::move(extents)}};
}

/// Two reals are a complex number.
template <class T>
std::span<std::complex<T>> complexes(std::span<T> x) {
  return {reinterpret_cast<std::complex<T>*>(x.data()), x.size() / 2};
}
template <class T>
std::span<const std::complex<T>> complexes(std::span<const T> x) {
  return {reinterpret_cast<const std::complex<T>*>(x.data()), x.size() / 2};
}

/// A run whose output is in host memory.
template <class T>
class HostRun : public harness::Run {
 public:
  HostRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context& context)
      : inputs_(std::move(inputs)), threads_(context.threads) {}
  void allocate() override { out_ = core::HostBuffer<T>(output_reals(problem()), core::Pages::large); }
  void poison() override {
    // By the threads that will write, so that pages lie where they are used.
    const auto size = static_cast<std::int64_t>(out_.size());
    T nan;
    std::memset(&nan, 0xff, sizeof nan);
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::int64_t i = 0; i < size; ++i) out_[i] = nan;
  }
  core::Verdict verify() override { return inputs_->judge(std::as_const(out_).span()); }
  std::vector<harness::Output> outputs() override { return output_of(problem(), out_); }

 protected:
  const Problem& problem() const { return inputs_->problem(); }
  std::span<const T> in() const { return inputs_->in(); }
  std::span<T> out() { return out_.span(); }
  int threads() const { return threads_; }

 private:
  std::shared_ptr<const Inputs<T>> inputs_;
  int threads_;
  core::HostBuffer<T> out_;
};

}  // namespace speedwell::fft

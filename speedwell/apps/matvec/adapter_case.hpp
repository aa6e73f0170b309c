// What the runs of matvec share: the inputs in both precisions' types, the oracle's answer when it is first asked for,
// and the run of everything that multiplies in host memory.
#pragma once

#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "speedwell/apps/matvec/problem.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/harness/precision.hpp"

namespace speedwell::matvec {

/// One problem's inputs in T. The oracle computes when the first run asks, in parallel, and then never again.
template <class T>
class Inputs {
 public:
  explicit Inputs(const Problem& problem)
      : problem_(problem), a_(problem.rows * problem.columns, core::Pages::large), b_(problem.columns) {
    fill<T>(problem, a_.span(), b_.span());
  }
  Matrix<T> a() const { return {a_.data(), problem_.rows, problem_.columns, problem_.columns}; }
  std::span<const T> b() const { return b_.span(); }
  core::Verdict judge(std::span<const T> c) const {
    std::call_once(asked_, [this] { expected_ = expect<T>(problem_, a_.span(), b_.span()); });
    return verify<T>(problem_, *expected_, c);
  }

 private:
  Problem problem_;
  core::HostBuffer<T> a_, b_;
  mutable std::once_flag asked_;
  mutable std::optional<Expected> expected_;
};

using MatvecCase = harness::PrecisionCase<Inputs>;

/// A factory of RunType<float> or RunType<double>, whichever the case is in: RunType<T>(inputs, context, args...).
template <template <class> class RunType, class... Args>
harness::Variant::Make make_in_precision(Args... args) {
  return harness::make_in_precision<Inputs, RunType>(args...);
}

/// C in host memory, as every run has it.
template <class T>
class Answer {
 public:
  void allocate(std::int64_t rows) { c_ = core::HostBuffer<T>(rows); }
  void poison() { std::memset(c_.data(), 0xff, c_.bytes()); }  // every element a NaN
  std::span<T> span() { return c_.span(); }
  std::vector<harness::Output> outputs() { return {{"c", harness::element_type<T>, c_.data(), c_.size()}}; }

 private:
  core::HostBuffer<T> c_;
};

template <class T>
using HostMultiply = void(const Matrix<T>& a, std::span<const T> b, std::span<T> c, int threads);

/// A multiplication in host memory, in either precision, and what it says of itself.
struct HostVariant {
  HostMultiply<float>* f32;
  HostMultiply<double>* f64;
  std::vector<std::pair<std::string, std::string>> (*choices)(int threads);
};

template <class T>
class HostRun : public harness::Run {
 public:
  HostRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context& context, HostVariant variant)
      : inputs_(std::move(inputs)), threads_(context.threads), variant_(variant) {}
  void allocate() override { c_.allocate(inputs_->a().rows); }
  void poison() override { c_.poison(); }
  void execute() override {
    if constexpr (std::is_same_v<T, float>)
      variant_.f32(inputs_->a(), inputs_->b(), c_.span(), threads_);
    else
      variant_.f64(inputs_->a(), inputs_->b(), c_.span(), threads_);
  }
  core::Verdict verify() override { return inputs_->judge(c_.span()); }
  std::vector<harness::Output> outputs() override { return c_.outputs(); }
  std::vector<std::pair<std::string, std::string>> choices() override { return variant_.choices(threads_); }

 private:
  std::shared_ptr<const Inputs<T>> inputs_;
  int threads_;
  HostVariant variant_;
  Answer<T> c_;
};

}  // namespace speedwell::matvec

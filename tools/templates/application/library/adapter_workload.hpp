// The workload of the harness: x and y in either precision, and the answer of the oracle when it is first needed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "speedwell/apps/new_application/problem.hpp"
#include "speedwell/apps/new_application/verify.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/lazy.hpp"
#include "speedwell/harness/measurement/precision.hpp"

namespace speedwell::new_application {

template <class T>
class Inputs {
 public:
  using Answer = core::HostBuffer<T>;  // z

  explicit Inputs(const Problem& problem)
      : a_(static_cast<T>(problem.a)), x_(static_cast<std::size_t>(problem.n)), y_(x_.size()) {
    fill<T>(problem, x_.span(), y_.span());
  }
  T a() const { return a_; }
  std::span<const T> x() const { return x_.span(); }
  std::span<const T> y() const { return y_.span(); }

  Answer make_answer() const { return Answer(x_.size()); }
  std::vector<harness::Output> outputs(Answer& z) const {
    return {{"z", harness::element_type<T>, z.data(), z.size()}};
  }
  core::Verdict verify(const Answer& z) const {
    const std::vector<double>& expected = expected_.get([this] { return reference<T>(a_, x(), y()); });
    return new_application::verify<T>(a_, x(), y(), expected, z.span());
  }

 private:
  T a_;
  core::HostBuffer<T> x_, y_;
  core::Lazy<std::vector<double>> expected_;
};

/// Inputs<double> or Inputs<float>, as the problem says.
using TypedWorkload = harness::PrecisionWorkload<Inputs>;

}  // namespace speedwell::new_application

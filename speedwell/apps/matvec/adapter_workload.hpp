// The workload of matvec for the harness: A and B in either precision, and the answer of the oracle when it is first
// needed.
#pragma once

#include <span>
#include <vector>

#include "speedwell/apps/matvec/problem.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/lazy.hpp"
#include "speedwell/harness/precision.hpp"

namespace speedwell::matvec {

template <class T>
class Inputs {
 public:
  using Answer = core::HostBuffer<T>;  // C

  explicit Inputs(const Problem& problem)
      : problem_(problem), a_(problem.rows * problem.columns, core::Pages::large), b_(problem.columns) {
    fill<T>(problem, a_.span(), b_.span());
  }
  Matrix<T> a() const { return {a_.data(), problem_.rows, problem_.columns, problem_.columns}; }
  std::span<const T> b() const { return b_.span(); }

  Answer make_answer() const { return Answer(problem_.rows); }
  std::vector<harness::Output> outputs(Answer& c) const {
    return {{"c", harness::element_type<T>, c.data(), c.size()}};
  }
  core::Verdict verify(const Answer& c) const {
    const Expected& expected = expected_.get([this] { return expect<T>(problem_, a_.span(), b_.span()); });
    return matvec::verify<T>(problem_, expected, c.span());
  }

 private:
  Problem problem_;
  core::HostBuffer<T> a_, b_;
  core::Lazy<Expected> expected_;
};

using MatvecWorkload = harness::PrecisionWorkload<Inputs>;

}  // namespace speedwell::matvec

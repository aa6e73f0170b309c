// The workload of matvec for the harness: A and B in either precision, and the answer of the oracle when it is first
// needed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/matvec/problem.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/lazy.hpp"
#include "speedwell/harness/measurement/precision.hpp"

namespace speedwell::matvec {

template <class T>
class Inputs {
 public:
  using Answer = core::HostBuffer<T>;  // C

  /// Ranks other than the first have no data but what they are sent.
  explicit Inputs(const Problem& problem, bool has_data = true) : problem_(problem), has_data_(has_data) {
    if (!has_data) return;
    a_ = core::HostBuffer<T>(problem.rows * problem.columns, core::Pages::large);
    b_ = core::HostBuffer<T>(problem.columns);
    fill<T>(problem, a_.span(), b_.span());
  }
  std::int64_t rows() const { return problem_.rows; }
  std::int64_t columns() const { return problem_.columns; }
  int block_threads() const { return problem_.block_threads; }
  Matrix<T> a() const { return {a_.data(), problem_.rows, problem_.columns, problem_.columns}; }
  std::span<const T> b() const { return b_.span(); }

  Answer make_answer() const { return Answer(has_data_ ? problem_.rows : 0); }
  std::vector<harness::Output> outputs(Answer& c) const {
    return {{"c", harness::element_type<T>, c.data(), c.size()}};
  }
  core::Verdict verify(const Answer& c) const {
    const Expected& expected = expected_.get([this] { return expect<T>(problem_, a_.span(), b_.span()); });
    return matvec::verify<T>(problem_, expected, c.span());
  }

 private:
  Problem problem_;
  bool has_data_;
  core::HostBuffer<T> a_, b_;
  core::Lazy<Expected> expected_;
};

using MatvecWorkload = harness::PrecisionWorkload<Inputs>;

}  // namespace speedwell::matvec

// A system made ready for the harness, and the vector that its runs write.
#pragma once

#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include "speedwell/apps/blast_wave/block_matvec/problem.hpp"
#include "speedwell/harness/application.hpp"

namespace speedwell::blast_wave::block_matvec {

/// The oracle multiplies when the first run asks, and then never again.
class Inputs final : public harness::Workload {
 public:
  explicit Inputs(const Problem& problem)
      : problem_(problem), matrix_(block_matvec::matrix(problem)), x_(block_matvec::vector(problem, matrix_)) {}
  const Problem& problem() const { return problem_; }
  const Blocks7& matrix() const { return matrix_; }
  const std::vector<double>& x() const { return x_; }
  core::Verdict judge(std::span<const double> y) const {
    std::call_once(asked_, [this] { expected_ = expect(problem_); });
    return verify(problem_, *expected_, y);
  }

 private:
  Problem problem_;
  Blocks7 matrix_;
  std::vector<double> x_;
  mutable std::once_flag asked_;
  mutable std::optional<Expected> expected_;
};

/// y in host memory, as every run has it.
class Answer {
 public:
  explicit Answer(std::size_t size = 0) : y_(size) {}
  void poison() { std::memset(y_.data(), 0xff, y_.size() * sizeof(double)); }  // every element a NaN
  std::span<double> span() { return y_; }
  std::vector<harness::Output> outputs() { return {{"y", harness::ElementType::f64, y_.data(), y_.size()}}; }

 private:
  std::vector<double> y_;
};

}  // namespace speedwell::blast_wave::block_matvec

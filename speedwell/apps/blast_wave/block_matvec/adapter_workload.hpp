// The workload of block_matvec for the harness: a matrix and a vector, and the oracle's product when it is first
// needed.
#pragma once

#include <string>
#include <vector>

#include "speedwell/apps/blast_wave/block_matvec/problem.hpp"
#include "speedwell/core/lazy.hpp"
#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::blast_wave::block_matvec {

class BlockWorkload final : public harness::Workload {
 public:
  using Answer = std::vector<double>;  // y

  explicit BlockWorkload(const Problem& problem)
      : problem_(problem), matrix_(block_matvec::matrix(problem)), x_(block_matvec::vector(problem, matrix_)) {}
  const Problem& problem() const { return problem_; }
  const Blocks7& matrix() const { return matrix_; }
  const std::vector<double>& x() const { return x_; }

  Answer make_answer() const { return Answer(x_.size()); }
  /// The five variables, without the padding behind each.
  std::vector<harness::Output> outputs(Answer& y) const {
    const Extents& e = problem_.extents;
    std::vector<harness::Output> variables;
    for (std::size_t c = 0; c < block; ++c)
      variables.push_back({.name = "y" + std::to_string(c + 1),
                           .type = harness::ElementType::f64,
                           .data = y.data() + c * matrix_.stride(),
                           .count = static_cast<std::size_t>(e.points()),
                           .extents = {static_cast<std::size_t>(e.nz), static_cast<std::size_t>(e.ny),
                                       static_cast<std::size_t>(e.nx)}});
    return variables;
  }
  core::Verdict verify(const Answer& y) const {
    return block_matvec::verify(problem_, expected_.get([this] { return expect(problem_); }), y);
  }

 private:
  Problem problem_;
  Blocks7 matrix_;
  std::vector<double> x_;
  core::Lazy<Expected> expected_;
};

}  // namespace speedwell::blast_wave::block_matvec

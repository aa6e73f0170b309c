// The workload of vector_calculus for the harness: the fields that an operation reads, in either precision, and its
// result in host memory.
#pragma once

#include <string>
#include <vector>

#include "speedwell/apps/vector_calculus/problem.hpp"
#include "speedwell/apps/vector_calculus/verify/verify.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/harness/measurement/precision.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::vector_calculus {

template <class T>
struct Result {
  core::HostBuffer<T> words;
  mutable StudyCriteria study;  // as the last verification found them

  harness::Choices choices() const {
    return {{"words_beyond_1e-12_percent", std::to_string(study.over_relative)},
            {"words_beyond_10_ulps", std::to_string(study.over_ulps)}};
  }
};

template <class T>
class TypedWorkload : public Inputs<T> {
 public:
  using Answer = Result<T>;

  using Inputs<T>::Inputs;

  Answer make_answer() const {
    return {.words = core::HostBuffer<T>(static_cast<std::size_t>(this->result_words()), core::Pages::large),
            .study = {}};
  }
  std::vector<harness::Output> outputs(Answer& result) const {
    const Problem& p = this->problem();
    const auto length = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    std::vector<std::size_t> extents = {length(p.grid.nz), length(p.grid.ny), length(p.grid.nx)};
    extents.insert(p.layout == Layout::aos ? extents.end() : extents.begin(), length(info(p.operation).components));
    return {{.name = "result",
             .type = harness::element_type<T>,
             .data = result.words.data(),
             .count = result.words.size(),
             .extents = std::move(extents)}};
  }
  core::Verdict verify(const Answer& result) const {
    const VerificationResult found = verify_in_detail<T>(*this, result.words.span());
    result.study = found.study;
    return found.verdict;
  }
};

using VectorCalculusWorkload = harness::PrecisionWorkload<TypedWorkload>;

}  // namespace speedwell::vector_calculus

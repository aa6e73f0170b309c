// What the runs of vector_calculus share: the problem, its inputs in one precision, and what judges a result.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/vector_calculus/problem.hpp"
#include "speedwell/apps/vector_calculus/verify.hpp"
#include "speedwell/harness/precision.hpp"

namespace speedwell::vector_calculus {

using VectorCalculusCase = harness::PrecisionCase<Inputs>;

/// A factory of RunType<float> or RunType<double>, whichever the case is in: RunType<T>(inputs, context, args...).
template <template <class> class RunType, class... Args>
harness::Variant::Make make_in_precision(Args... args) {
  return harness::make_in_precision<Inputs, RunType>(args...);
}

/// The result in host memory, as every run has it, and its verdict.
template <class T>
class Answer {
 public:
  void allocate(const Inputs<T>& inputs) {
    const Problem& p = inputs.problem();
    const auto length = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    const std::size_t components = length(info(p.operation).components);
    extents_ = {length(p.grid.nz), length(p.grid.ny), length(p.grid.nx)};
    extents_.insert(p.layout == Layout::aos ? extents_.end() : extents_.begin(), components);
    out_ = core::HostBuffer<T>(static_cast<std::size_t>(inputs.result_words()), core::Pages::large);
  }
  void poison() { std::memset(out_.data(), 0xff, out_.bytes()); }  // every word a NaN
  T* data() { return out_.data(); }
  std::size_t size() const { return out_.size(); }
  std::vector<harness::Output> outputs() {
    return {{.name = "result",
             .type = harness::element_type<T>,
             .data = out_.data(),
             .count = out_.size(),
             .extents = extents_}};
  }
  core::Verdict verify(const Inputs<T>& inputs) {
    const VerificationResult result = verify_in_detail<T>(inputs, out_.span());
    study_ = result.study;
    return result.verdict;
  }
  /// The study's two criteria, after verify().
  std::vector<std::pair<std::string, std::string>> choices() const {
    return {{"words_beyond_1e-12_percent", std::to_string(study_.over_relative)},
            {"words_beyond_10_ulps", std::to_string(study_.over_ulps)}};
  }

 private:
  core::HostBuffer<T> out_;
  std::vector<std::size_t> extents_;
  StudyCriteria study_;
};

}  // namespace speedwell::vector_calculus

// One kernel of SSCA#1 made ready for the harness: its input, its work, how its output is verified, and what all runs
// of it have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "speedwell/apps/alignment/ssca1/adapter_result.hpp"
#include "speedwell/apps/alignment/ssca1/benchmark.hpp"
#include "speedwell/apps/alignment/ssca1/verify.hpp"
#include "speedwell/harness/application.hpp"

namespace speedwell::alignment::ssca1 {

/// The input of kernel k is what the kernels before it make of the data, computed once on all cores: it is the problem,
/// as the random sequences are. Members that only later kernels need are empty.
struct Ssca1Case : harness::Workload {
  /// `sections` and `overlap` are those of the variant overlap. Throws std::invalid_argument as make_data and kernel 1.
  Ssca1Case(Problem problem, int kernel, std::int64_t sections, std::optional<std::int64_t> overlap);

  Problem problem;
  int kernel;
  std::int64_t sections;
  std::optional<std::int64_t> overlap;
  Scoring scoring;
  Data data;
  std::vector<Endpoint> endpoints;       // from kernel 1, for kernel 2
  std::vector<Codes> queries;            // from kernel 2, for kernel 3: parts of data.match
  std::vector<Members> sets;             // from kernel 3, for kernels 4 and 5
  std::vector<Differences> differences;  // from kernel 4, for kernel 5

  Codes main() const { return data.main.span(); }
  Codes match() const { return data.match.span(); }
  /// The minimum work of one execute.
  harness::Work work() const;  // of the best algorithm known
  harness::Work work_of(std::string_view row) const;
  /// Verifies an output of the kernel. The oracle is computed at the first call.
  core::Verdict verify(std::span<const std::int64_t> output) const;

 private:
  mutable std::once_flag once_;
  mutable std::variant<EndpointOracle, TraceOracle, SimilarOracle, DifferenceOracle, StarOracle> oracle_;
  mutable std::vector<Members> expected_sets_;  // of kernels 4 and 5, from the regions that the reference finds
  std::vector<std::vector<SimilarRegion>> regions_;
  void ask_oracle() const;
};

/// A run of any variant: execute() of the derived class hands over the result.
class KernelRun : public harness::Run {
 public:
  explicit KernelRun(std::shared_ptr<const Ssca1Case> prepared) : case_(std::move(prepared)) {}

  void poison() override {
    result_.reset();
    output_.clear();
  }
  void download() override { output_.clear(); }
  core::Verdict verify() override {
    fill_output();
    return case_->verify(output_);
  }
  std::vector<harness::Output> outputs() override {
    fill_output();
    return {{"result", harness::ElementType::i64, output_.data(), output_.size()}};
  }

 protected:
  const Ssca1Case& prepared() const { return *case_; }
  void take(KernelResult result) { result_ = std::move(result); }

 private:
  /// The result as the harness sees it, made on demand and not within a timed phase: no part of the
  /// computation. All bits set where there is none.
  void fill_output() {
    if (output_.empty()) output_ = result_ ? flatten(*result_) : std::vector<std::int64_t>{-1};
  }

  std::shared_ptr<const Ssca1Case> case_;
  std::optional<KernelResult> result_;
  std::vector<std::int64_t> output_;
};

}  // namespace speedwell::alignment::ssca1

// The workload of one kernel of SSCA#1 for the harness: its input and its work, and the verdict on its output.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "speedwell/apps/ssca1/benchmark.hpp"
#include "speedwell/apps/ssca1/distributed.hpp"
#include "speedwell/apps/ssca1/kernel_result.hpp"
#include "speedwell/apps/ssca1/verify/verify.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::ssca1 {

/// The result of a kernel and, made from it on demand and outside all timed phases, the same as an array of integers:
/// the harness's form of it. -1 alone if there is no result.
class KernelAnswer {
 public:
  void set(KernelResult result) {
    result_ = std::move(result);
    numbers_.clear();
  }
  void clear() {
    result_.reset();
    numbers_.clear();
  }
  std::vector<std::int64_t>& numbers() {
    if (numbers_.empty()) numbers_ = flattened();
    return numbers_;
  }
  std::vector<std::int64_t> numbers() const { return numbers_.empty() ? flattened() : numbers_; }

 private:
  std::vector<std::int64_t> flattened() const { return result_ ? flatten(*result_) : std::vector<std::int64_t>{-1}; }
  std::optional<KernelResult> result_;
  std::vector<std::int64_t> numbers_;
};

/// The input of kernel k is what the kernels before it make of the data, computed once on all cores: it is the problem,
/// as the random sequences are. Members that only later kernels need are empty.
struct Ssca1Workload : harness::Workload {
  using Answer = KernelAnswer;

  /// `sections` and `overlap` are those of the variant overlap. Throws std::invalid_argument as make_data and kernel 1.
  Ssca1Workload(Problem problem, int kernel, std::int64_t sections, std::optional<std::int64_t> overlap);

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
  /// Those of the kernel, for its division among ranks.
  KernelArguments arguments() const;
  /// The minimum work of one execute.
  harness::Work work() const;  // of the best algorithm known
  harness::Work work_of(std::string_view row) const;
  /// Verifies an output of the kernel. The oracle is computed at the first call.
  core::Verdict verify(std::span<const std::int64_t> output) const;

  Answer make_answer() const { return {}; }
  void poison(Answer& answer) const { answer.clear(); }
  std::vector<harness::Output> outputs(Answer& answer) const {
    return {{"result", harness::ElementType::i64, answer.numbers().data(), answer.numbers().size()}};
  }
  core::Verdict verify(const Answer& answer) const { return verify(std::span<const std::int64_t>(answer.numbers())); }

 private:
  mutable std::once_flag once_;
  mutable std::variant<EndpointOracle, TraceOracle, SimilarOracle, DifferenceOracle, StarOracle> oracle_;
  mutable std::vector<Members> expected_sets_;  // of kernels 4 and 5, from the regions that the reference finds
  std::vector<std::vector<SimilarRegion>> regions_;
  void ask_oracle() const;
};

}  // namespace speedwell::ssca1

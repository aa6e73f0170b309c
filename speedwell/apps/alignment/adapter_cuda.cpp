// The GPU variants of alignment for the harness.
#include <optional>
#include <string>

#include "speedwell/apps/alignment/adapter.hpp"
#include "speedwell/apps/alignment/adapter_pair.hpp"
#include "speedwell/apps/alignment/adapter_workload.hpp"
#include "speedwell/apps/alignment/gpu_steps.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::alignment {
namespace {

class SearchSolver {
 public:
  SearchSolver(const AlignmentWorkload& workload, const harness::Context& context, GpuSearch::Lanes lanes)
      : workload_(workload), device_(context.device), lanes_(lanes) {}

  /// Makes the search, too: sorting and pairing the subjects is part of the cost of this variant.
  void allocate() {
    search_.emplace(workload_.subjects, device_, lanes_);
    steps_.emplace(*search_, workload_.queries, workload_.scoring);
  }
  void upload(const core::Stream& stream) { steps_->upload(stream); }
  void poison(const core::Stream& stream) { steps_->poison(stream); }
  void execute(const core::Stream& stream) { steps_->enqueue(stream); }
  void download(Scores& answer, const core::Stream& stream) {
    steps_->download(stream);
    answer.scores = steps_->scores();
  }
  harness::Choices choices() const { return {{"blocks", std::to_string(search_->blocks())}}; }

 private:
  const AlignmentWorkload& workload_;
  int device_;
  GpuSearch::Lanes lanes_;
  std::optional<GpuSearch> search_;
  std::optional<GpuSearchSteps> steps_;
};

/// One pair.
class PairSolver : public PairRun {
 public:
  PairSolver(const AlignmentWorkload& workload, const harness::Context& context, bool traces_back)
      : PairRun(workload, traces_back), pair_(context.device) {}

  void allocate() { prepare(pair_, query(), subject()); }
  void upload(const core::Stream& stream) { steps().upload(stream); }
  core::Verdict verify(const Scores& answer) {
    return verdict(answer, [&] { return pair_.align(query(), subject(), workload_.scoring); });
  }
  harness::Choices choices() const { return choices_of(pair_); }

 private:
  Codes query() const { return workload_.queries.codes(0); }
  Codes subject() const { return workload_.subjects.codes(0); }

  GpuPair pair_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  const auto search = harness::device_solver<AlignmentWorkload, SearchSolver, GpuSearch::Lanes>;
  const auto pair = harness::device_solver<AlignmentWorkload, PairSolver, bool>;
  return {{"cuda-16-bit", search(GpuSearch::Lanes::sixteen_bits)},
          {"cuda-11-bit", search(GpuSearch::Lanes::eleven_bits)},
          {"cuda", search(GpuSearch::Lanes::best)},
          {"cuda-pair", pair(false)},
          {"cuda-pair-path", pair(true)}};
}

}  // namespace speedwell::alignment

// The GPU variants of alignment for the harness.
#include <optional>
#include <string>

#include "speedwell/apps/alignment/adapter.hpp"
#include "speedwell/apps/alignment/adapter_workload.hpp"
#include "speedwell/apps/alignment/gpu_steps.hpp"
#include "speedwell/harness/device_solver_run.hpp"

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

/// One pair. With `traces_back`, execute() finds the alignment, too, and waits for it.
class PairSolver {
 public:
  PairSolver(const AlignmentWorkload& workload, const harness::Context& context, bool traces_back)
      : workload_(workload), traces_back_(traces_back), pair_(context.device) {}

  void allocate() {
    steps_.emplace(pair_, query(), subject(), workload_.scoring, GpuPairTuning{.checks = true}, traces_back_);
  }
  void upload(const core::Stream& stream) { steps_->upload(stream); }
  void poison(const core::Stream& stream) {
    steps_->poison(stream);
    found_ = {.score = -1, .query_begin = -1, .query_end = -1, .subject_begin = -1, .subject_end = -1};
  }
  void execute(const core::Stream& stream) {
    steps_->enqueue(stream);
    if (!traces_back_) return;
    steps_->download(stream);
    found_ = steps_->trace_back(stream);
  }
  void download(Scores& answer, const core::Stream& stream) {
    if (!traces_back_) steps_->download(stream);  // execute() has done it otherwise
    const EndPoint end = steps_->end();
    answer.end = {end.score, end.query_end, end.subject_end};
  }
  core::Verdict verify(const Scores& answer) {
    const auto align = [&] { return traces_back_ ? found_ : pair_.align(query(), subject(), workload_.scoring); };
    const PairChecks checks = steps_->checks();  // before align() computes others
    return workload_.verify_pair({answer.end[0], answer.end[1], answer.end[2]}, align, traces_back_, checks);
  }
  harness::Choices choices() const {
    const GpuPairTuning tuning = pair_.tuning();
    return {{"strip_rows", std::to_string(tuning.strip_rows)}, {"block_warps", std::to_string(tuning.block_warps)}};
  }

 private:
  Codes query() const { return workload_.queries.codes(0); }
  Codes subject() const { return workload_.subjects.codes(0); }

  const AlignmentWorkload& workload_;
  bool traces_back_;
  GpuPair pair_;
  std::optional<GpuPairSteps> steps_;
  Alignment found_;
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

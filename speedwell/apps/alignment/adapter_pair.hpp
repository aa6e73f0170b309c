// What the variants for one pair on one GPU and on several have in common: the phases of a run by the steps of a
// GpuPair, and the verdict on its end point or alignment.
#pragma once

#include <optional>
#include <string>

#include "speedwell/apps/alignment/adapter_workload.hpp"
#include "speedwell/apps/alignment/gpu_steps.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::alignment {

/// The base of the solvers of one pair. With `traces_back`, execute() finds the alignment, too, and waits for it.
/// A solver has the GpuPair, and calls prepare() with it before all other functions but poison().
class PairRun {
 public:
  void poison(const core::Stream& stream) {
    if (steps_) steps_->poison(stream);
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

 protected:
  PairRun(const AlignmentWorkload& workload, bool traces_back) : workload_(workload), traces_back_(traces_back) {}

  /// Allocates the memory of the pair's steps, and of `team`, if the pair is that of several GPUs. The sequences must
  /// outlive the run.
  void prepare(GpuPair& pair, Codes query, Codes subject, GpuTeam* team = nullptr) {
    steps_.emplace(pair, query, subject, workload_.scoring, GpuPairTuning{.checks = true}, traces_back_, team);
  }
  GpuPairSteps& steps() { return *steps_; }

  /// The verdict on `answer`, by the alignment that align() returns where the run has not found it itself.
  template <class Align>
  core::Verdict verdict(const Scores& answer, const Align& align) {
    const PairChecks checks = steps_->checks();  // before align() computes others
    const auto alignment = [&] { return traces_back_ ? found_ : align(); };
    return workload_.verify_pair({answer.end[0], answer.end[1], answer.end[2]}, alignment, traces_back_, checks);
  }
  static harness::Choices choices_of(const GpuPair& pair) {
    const GpuPairTuning tuning = pair.tuning();
    return {{"strip_rows", std::to_string(tuning.strip_rows)}, {"block_warps", std::to_string(tuning.block_warps)}};
  }

  const AlignmentWorkload& workload_;

 private:
  bool traces_back_;
  std::optional<GpuPairSteps> steps_;
  Alignment found_;
};

}  // namespace speedwell::alignment

// The GPU variants of blast_wave for the harness.
#include <optional>
#include <string>

#include "speedwell/apps/blast_wave/adapter.hpp"
#include "speedwell/apps/blast_wave/adapter_workload.hpp"
#include "speedwell/apps/blast_wave/gpu_article.hpp"
#include "speedwell/apps/blast_wave/gpu_solver.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::blast_wave {
namespace {

/// Its state on the device needs no poison: reset() writes all of it, and what a step leaves out keeps its initial
/// value, which is wrong.
class DeviceSolver {
 public:
  DeviceSolver(const BlastWorkload& workload, const harness::Context&, BlockSource blocks)
      : workload_(workload), blocks_(blocks) {}

  void allocate(const core::Stream& stream) {
    const Problem& p = workload_.problem();
    solver_.emplace(p, blocks_, p.steps, stream);
  }
  void upload(const core::Stream& stream) { solver_->upload_saved(workload_.initial_state(), stream); }
  void reset(const core::Stream& stream) { solver_->restore(stream); }
  void execute(const core::Stream& stream) { solver_->run(workload_.problem().steps, stream); }
  void download(Answer& answer, const core::Stream& stream) { answer.history = solver_->finish(answer.state, stream); }
  core::Verdict verify(const Answer& answer) const {
    return workload_.verify(answer, blocks_ == BlockSource::f32 ? Iterations::free : Iterations::as_the_oracle);
  }
  harness::Choices choices(const Answer& answer) const { return figures(answer); }

 private:
  const BlastWorkload& workload_;
  BlockSource blocks_;
  std::optional<GpuSolver> solver_;
};

/// The article's variants, whose iteration is on the host: execute() returns when the steps are done.
class PublishedSolver {
 public:
  PublishedSolver(const BlastWorkload& workload, const harness::Context& context, PublishedVariant variant)
      : workload_(workload), variant_(variant), threads_(context.threads) {}

  void allocate(const core::Stream& stream) { solver_.emplace(workload_.problem(), variant_, threads_, stream); }
  void reset(const core::Stream&) { solver_->set(workload_.initial_state()); }
  void execute(const core::Stream& stream) { history_ = solver_->run(workload_.problem().steps, stream); }
  void download(Answer& answer, const core::Stream&) {
    answer.history = history_;
    solver_->get(answer.state);
  }
  harness::Choices choices(const Answer& answer) const {
    const ArticleSolver::Seconds s = solver_->seconds();
    return harness::joined(figures(answer), {{"lhs_s", std::to_string(s.blocks)},
                                             {"rhs_s", std::to_string(s.right_hand_side)},
                                             {"bicgstab_s", std::to_string(s.bicgstab)}});
  }

 private:
  const BlastWorkload& workload_;
  PublishedVariant variant_;
  int threads_;
  std::optional<ArticleSolver> solver_;
  History history_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  return harness::ladder_bindings(steps, [](const Step& step) {
    return step.article == PublishedVariant::none
               ? harness::device_solver<BlastWorkload, DeviceSolver>(step.blocks)
               : harness::device_solver<BlastWorkload, PublishedSolver>(step.article);
  });
}

}  // namespace speedwell::blast_wave

// blast_wave on several GPUs for the harness: the first rank distributes the blast and collects the answer.
#include <optional>

#include "speedwell/apps/blast_wave/adapter.hpp"
#include "speedwell/apps/blast_wave/adapter_workload.hpp"
#include "speedwell/apps/blast_wave/gpu_distributed.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::blast_wave {
namespace {

/// Its state on the device needs no poison: reset() writes all of it that steps do not write first, and a point that a
/// step failed to write would keep its initial value, which verification rejects.
class GpusSolver : public harness::OnRanks<BlastWorkload> {
 public:
  using OnRanks::OnRanks;

  void allocate(const core::Stream& stream) {
    const Problem& p = workload_.problem();
    solver_.emplace(ranks_, p, p.steps, stream);
  }
  void upload(const core::Stream& stream) { solver_->scatter_saved(on_root(workload_.initial_state()), stream); }
  void reset(const core::Stream& stream) { solver_->restore(stream); }
  void execute(const core::Stream& stream) { solver_->run(workload_.problem().steps, stream); }
  void download(Answer& answer, const core::Stream& stream) {
    answer.history = solver_->finish(on_root(answer.state), stream);
  }
  double exchange_seconds() const { return solver_ ? solver_->exchange_seconds() : 0; }
  harness::Choices choices(const Answer& answer) const {
    return harness::joined(figures(answer), {{"division", solver_->division_text()}});
  }

 private:
  std::optional<DistributedGpuSolver> solver_;
};

}  // namespace

std::vector<harness::Binding> multi_runs() { return {{"multi", harness::device_solver<BlastWorkload, GpusSolver>()}}; }

}  // namespace speedwell::blast_wave

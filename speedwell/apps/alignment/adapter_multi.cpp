// alignment on several GPUs for the harness: the first rank distributes the sequences and collects the scores.
#include <optional>
#include <string>

#include "speedwell/apps/alignment/adapter.hpp"
#include "speedwell/apps/alignment/adapter_workload.hpp"
#include "speedwell/apps/alignment/distributed.hpp"
#include "speedwell/apps/alignment/gpu_steps.hpp"
#include "speedwell/harness/device_solver_run.hpp"

namespace speedwell::alignment {
namespace {

class RanksSolver {
 public:
  RanksSolver(const AlignmentWorkload& workload, const harness::Context& context)
      : workload_(workload), device_(context.device), is_root_(context.ranks->rank() == 0), ranks_(*context.ranks) {}

  /// The steps are made here, since their memory depends on the sequences of this rank.
  void upload(const core::Stream& stream) {
    steps_.reset();
    search_.reset();
    share_.emplace(ranks_);
    share_->scatter(is_root_ ? &workload_.queries : nullptr, is_root_ ? &workload_.subjects : nullptr);
    if (share_->is_empty()) return;
    search_.emplace(share_->subjects(), device_);
    steps_.emplace(*search_, share_->queries(), workload_.scoring);
    steps_->upload(stream);
  }
  void poison(const core::Stream& stream) {
    if (steps_) steps_->poison(stream);
  }
  void execute(const core::Stream& stream) {
    if (steps_) steps_->enqueue(stream);
  }
  void download(Scores& answer, const core::Stream& stream) {
    if (steps_) steps_->download(stream);
    if (is_root_ && answer.scores.empty()) {
      answer.memory = core::HostBuffer<std::int32_t>(workload_.pairs());
      answer.scores = answer.memory.span();
    }
    share_->gather(steps_ ? steps_->scores() : std::span<std::int32_t>(), answer.scores);
  }
  harness::Choices choices() const {
    return {{"blocks", std::to_string(search_ ? search_->blocks() : 0)}, {"host_memory", "pageable"}};
  }

 private:
  const AlignmentWorkload& workload_;
  int device_;
  bool is_root_;
  const comm::Communicator& ranks_;
  std::optional<RankSearch> share_;
  std::optional<GpuSearch> search_;
  std::optional<GpuSearchSteps> steps_;
};

}  // namespace

std::vector<harness::Binding> multi_runs() {
  return {{"multi", harness::device_solver<AlignmentWorkload, RanksSolver>()}};
}

}  // namespace speedwell::alignment

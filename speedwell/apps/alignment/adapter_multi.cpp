// alignment on several GPUs for the harness: the first rank distributes the sequences and collects the scores, or all
// ranks have the two sequences of one pair.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/adapter.hpp"
#include "speedwell/apps/alignment/adapter_pair.hpp"
#include "speedwell/apps/alignment/adapter_workload.hpp"
#include "speedwell/apps/alignment/distributed.hpp"
#include "speedwell/apps/alignment/gpu_steps.hpp"
#include "speedwell/apps/alignment/gpu_team_of_ranks.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::alignment {
namespace {

class RanksSolver : public harness::OnRanks<AlignmentWorkload> {
 public:
  RanksSolver(const AlignmentWorkload& workload, const harness::Context& context)
      : OnRanks(workload, context), device_(context.device) {}

  /// The steps are made here, since their memory depends on the sequences of this rank.
  void upload(const core::Stream& stream) {
    steps_.reset();
    search_.reset();
    share_.emplace(ranks_);
    share_->scatter(on_root(workload_.queries), on_root(workload_.subjects));
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
    if (is_root() && answer.scores.empty()) workload_.allocate_scores(answer);
    share_->gather(steps_ ? steps_->scores() : std::span<std::int32_t>(), answer.scores);
  }
  harness::Choices choices() const {
    return {{"blocks", std::to_string(search_ ? search_->blocks() : 0)}, {"host_memory", "pageable"}};
  }

 private:
  int device_;
  std::optional<RankSearch> share_;
  std::optional<GpuSearch> search_;
  std::optional<GpuSearchSteps> steps_;
};

/// One pair, as PairSolver on one GPU.
class RanksPairSolver : public PairRun {
 public:
  RanksPairSolver(const AlignmentWorkload& workload, const harness::Context& context, bool traces_back)
      : PairRun(workload, traces_back),
        device_(context.device),
        ranks_(*context.ranks),
        team_(ranks_),
        pair_(device_) {}

  /// The memory of the pair depends on its sequences, which only the first rank has before.
  void upload(const core::Stream& stream) {
    query_ = of_first_rank(workload_.queries);
    subject_ = of_first_rank(workload_.subjects);
    prepare(pair_, query_, subject_, &team_);
    steps().upload(stream);
  }
  /// On the first rank alone, with an alignment that its GPU makes alone.
  core::Verdict verify(const Scores& answer) {
    return verdict(answer, [&] { return GpuPair(device_).align(query_, subject_, workload_.scoring); });
  }
  double exchange_seconds() const { return team_.seconds(); }
  harness::Choices choices() const { return choices_of(pair_); }

 private:
  std::vector<std::uint8_t> of_first_rank(const SequenceSet& set) const {
    const bool is_root = ranks_.rank() == 0;
    std::vector<std::uint8_t> codes(ranks_.broadcast(is_root ? set.length(0) : std::size_t{0}));
    if (is_root) std::copy_n(set.codes(0).data(), codes.size(), codes.data());
    ranks_.broadcast(std::span<std::uint8_t>(codes));
    return codes;
  }

  int device_;
  const comm::Communicator& ranks_;
  RanksTeam team_;
  std::vector<std::uint8_t> query_, subject_;
  GpuPair pair_;
};

}  // namespace

std::vector<harness::Binding> multi_runs() {
  const auto pair = harness::device_solver<AlignmentWorkload, RanksPairSolver, bool>;
  return {{"multi", harness::device_solver<AlignmentWorkload, RanksSolver>()},
          {"multi-pair", pair(false)},
          {"multi-pair-path", pair(true)}};
}

}  // namespace speedwell::alignment

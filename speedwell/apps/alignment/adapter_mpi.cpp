// alignment on ranks for the harness: the first rank distributes the sequences and collects the scores.
#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/adapter.hpp"
#include "speedwell/apps/alignment/adapter_workload.hpp"
#include "speedwell/apps/alignment/distributed.hpp"
#include "speedwell/harness/host_choices.hpp"

namespace speedwell::alignment {
namespace {

class RanksSolver : public harness::OnRanks<AlignmentWorkload> {
 public:
  RanksSolver(const AlignmentWorkload& workload, const harness::Context& context)
      : OnRanks(workload, context), search_(ranks_, RankSearch::Division::tasks) {}

  void allocate(Scores& answer) {
    if (!is_root()) return;
    workload_.allocate_scores(answer);
    workload_.poison(answer);
  }
  void upload() { search_.scatter(on_root(workload_.queries), on_root(workload_.subjects)); }
  void poison() { search_.poison(); }
  void execute(Scores& answer) {
    search_.run(
        [&](const SequenceSet& queries, const SequenceSet& subjects, std::span<std::int32_t> scores) {
          search_scores(queries, subjects, workload_.scoring, scores, {.threads = 1});
        },
        answer.scores);
  }
  core::Verdict verify(const Scores& answer) const {
    return workload_.verify(answer.scores, AlignmentWorkload::Other::cross_check);
  }
  double exchange_seconds() const { return search_.exchange_seconds(); }
  harness::Choices choices() const {
    return {harness::instruction_set(), {"exchange", search_.is_shared() ? "shared memory" : "messages"}};
  }

 private:
  RankSearch search_;
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::host_solver<AlignmentWorkload, RanksSolver>()}}; }

}  // namespace speedwell::alignment

// alignment on ranks for the harness: the first rank distributes the sequences and collects the scores.
#include <algorithm>
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
      : OnRanks(workload, context), search_(ranks_, RankSearch::Division::batches) {}

  void allocate(Scores& answer) {
    if (!is_root()) return;
    workload_.allocate_scores(answer);
    workload_.poison(answer);
  }
  void upload() {
    search_.scatter(on_root(workload_.queries), on_root(workload_.subjects));
    own_.resize(search_.pairs());
  }
  void poison() { std::ranges::fill(own_, -1); }
  void execute(Scores& answer) {
    search_.for_each_block(own_, [&](const SequenceSet& queries, const SequenceSet& subjects, auto scores) {
      search_scores(queries, subjects, workload_.scoring, scores, {.threads = 1});
    });
    search_.gather(own_, answer.scores);
  }
  core::Verdict verify(const Scores& answer) const {
    return workload_.verify(answer.scores, AlignmentWorkload::Other::cross_check);
  }
  double exchange_seconds() const { return search_.exchange_seconds(); }
  harness::Choices choices() const { return {harness::instruction_set()}; }

 private:
  RankSearch search_;
  std::vector<std::int32_t> own_;
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::host_solver<AlignmentWorkload, RanksSolver>()}}; }

}  // namespace speedwell::alignment

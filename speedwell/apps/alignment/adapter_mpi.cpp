// alignment on ranks for the harness: the first rank distributes the sequences and collects the scores.
#include <algorithm>
#include <vector>

#include "speedwell/apps/alignment/adapter.hpp"
#include "speedwell/apps/alignment/adapter_workload.hpp"
#include "speedwell/apps/alignment/distributed.hpp"
#include "speedwell/harness/host_choices.hpp"

namespace speedwell::alignment {
namespace {

class RanksSolver {
 public:
  RanksSolver(const AlignmentWorkload& workload, const harness::Context& context)
      : workload_(workload), is_root_(context.ranks->rank() == 0), search_(*context.ranks) {}

  void allocate(Scores& answer) {
    if (!is_root_) return;
    answer.memory = core::HostBuffer<std::int32_t>(workload_.pairs());
    answer.scores = answer.memory.span();
    workload_.poison(answer);
  }
  void upload() {
    search_.scatter(is_root_ ? &workload_.queries : nullptr, is_root_ ? &workload_.subjects : nullptr);
    own_.resize(search_.queries().size() * search_.subjects().size());
  }
  void poison() { std::ranges::fill(own_, -1); }
  void execute(Scores& answer) {
    if (!search_.is_empty())
      search_scores(search_.queries(), search_.subjects(), workload_.scoring, own_, {.threads = 1});
    search_.gather(own_, answer.scores);
  }
  core::Verdict verify(const Scores& answer) const {
    return workload_.verify(answer.scores, AlignmentWorkload::Other::cross_check);
  }
  double exchange_seconds() const { return search_.exchange_seconds(); }
  harness::Choices choices() const { return {harness::instruction_set()}; }

 private:
  const AlignmentWorkload& workload_;
  bool is_root_;
  RankSearch search_;
  std::vector<std::int32_t> own_;
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::host_solver<AlignmentWorkload, RanksSolver>()}}; }

}  // namespace speedwell::alignment

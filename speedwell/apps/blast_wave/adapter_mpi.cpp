// blast_wave on ranks for the harness: the first rank distributes the blast and collects the answer.
#include <optional>
#include <string>

#include "speedwell/apps/blast_wave/adapter.hpp"
#include "speedwell/apps/blast_wave/adapter_workload.hpp"
#include "speedwell/apps/blast_wave/distributed.hpp"
#include "speedwell/harness/host_choices.hpp"

namespace speedwell::blast_wave {
namespace {

class RanksSolver {
 public:
  RanksSolver(const BlastWorkload& workload, const harness::Context& context)
      : workload_(workload), ranks_(*context.ranks) {}

  void allocate() { solver_.emplace(ranks_, workload_.problem()); }
  void upload() {
    solver_->scatter(is_root() ? &workload_.initial_state() : nullptr);
    is_initial_ = true;
  }
  /// The ranks have no room for a copy of the blast.
  void reset() {
    if (!is_initial_) upload();
  }
  void execute(Answer&) {
    is_initial_ = false;
    history_ = solver_->run(workload_.problem().steps);
  }
  void download(Answer& answer) {
    answer.history = history_;
    solver_->gather(is_root() ? &answer.state : nullptr);
  }
  void poison() { history_ = {}; }
  double exchange_seconds() const { return solver_->exchange_seconds(); }
  harness::Choices choices(const Answer& answer) const {
    harness::Choices all = figures(answer, solver_->seconds());
    for (auto& choice : harness::host_choices(1)) all.push_back(std::move(choice));
    all.push_back({"division", solver_->division_text()});
    return all;
  }

 private:
  bool is_root() const { return ranks_.rank() == 0; }

  const BlastWorkload& workload_;
  const comm::Communicator& ranks_;
  std::optional<DistributedSolver> solver_;
  History history_;
  bool is_initial_ = false;
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::host_solver<BlastWorkload, RanksSolver>()}}; }

}  // namespace speedwell::blast_wave

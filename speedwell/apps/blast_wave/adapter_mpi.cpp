// blast_wave on ranks for the harness: the first rank distributes the blast and collects the answer.
#include <optional>
#include <string>

#include "speedwell/apps/blast_wave/adapter.hpp"
#include "speedwell/apps/blast_wave/adapter_workload.hpp"
#include "speedwell/apps/blast_wave/distributed.hpp"
#include "speedwell/harness/host_choices.hpp"

namespace speedwell::blast_wave {
namespace {

class RanksSolver : public harness::OnRanks<BlastWorkload> {
 public:
  using OnRanks::OnRanks;
  static constexpr bool uploads_again = true;

  void allocate() { solver_.emplace(ranks_, workload_.problem()); }
  void upload() { solver_->scatter(on_root(workload_.initial_state())); }
  void execute(Answer&) { history_ = solver_->run(workload_.problem().steps); }
  void download(Answer& answer) {
    answer.history = history_;
    solver_->gather(on_root(answer.state));
  }
  void poison() { history_ = {}; }
  double exchange_seconds() const { return solver_->exchange_seconds(); }
  harness::Choices choices(const Answer& answer) const {
    harness::Choices all = harness::joined(figures(answer, solver_->seconds()), harness::host_choices(1));
    all.push_back({"division", solver_->division_text()});
    return all;
  }

 private:
  std::optional<DistributedSolver> solver_;
  History history_;
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::host_solver<BlastWorkload, RanksSolver>()}}; }

}  // namespace speedwell::blast_wave

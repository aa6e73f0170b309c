// incompressible_flow on ranks for the harness: the first rank distributes the initial flow and collects the answer.
#include <optional>
#include <string>

#include "speedwell/apps/incompressible_flow/adapter.hpp"
#include "speedwell/apps/incompressible_flow/adapter_workload.hpp"
#include "speedwell/apps/incompressible_flow/distributed.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::incompressible_flow {
namespace {

template <class T>
class RanksSolver {
 public:
  RanksSolver(const Inputs<T>& inputs, const harness::Context& context) : inputs_(inputs), ranks_(*context.ranks) {}
  static constexpr bool uploads_again = true;

  void allocate() {
    dt_ = ranks_.broadcast(inputs_.dt());
    Options options = inputs_.options();
    options.threads = 1;
    solver_.emplace(ranks_, inputs_.problem(), options);
  }
  void upload() { solver_->scatter(ranks_.rank() == 0 ? &inputs_.initial() : nullptr); }
  void execute(State<T>&) {
    for (int s = 0; s < inputs_.steps(); ++s) solver_->step(dt_);
  }
  void download(State<T>& answer) { solver_->gather(ranks_.rank() == 0 ? &answer : nullptr); }
  double exchange_seconds() const { return solver_->exchange_seconds(); }
  harness::Choices choices() const {
    harness::Choices all = harness::host_choices(1);
    all.push_back({"division", solver_->division_text()});
    all.push_back({"pressure", solver_->choice().reason});
    if (solver_->pressure_iterations() > 0)
      all.push_back({"pressure iterations of the last step", std::to_string(solver_->pressure_iterations())});
    return all;
  }

 private:
  const Inputs<T>& inputs_;
  const comm::Communicator& ranks_;
  std::optional<DistributedSolver<T>> solver_;
  double dt_ = 0;
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::host_solver<Inputs, RanksSolver>()}}; }

}  // namespace speedwell::incompressible_flow

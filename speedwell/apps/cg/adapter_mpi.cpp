// cg on ranks for the harness: the first rank distributes the operator and the right-hand side and collects the
// solution.
#include <optional>

#include "speedwell/apps/cg/adapter.hpp"
#include "speedwell/apps/stencil/distributed_cg.hpp"
#include "speedwell/harness/host_choices.hpp"

namespace speedwell::cg {
namespace {

template <class T>
class RanksSolver {
 public:
  using Answer = typename Inputs<T>::Answer;

  RanksSolver(const Inputs<T>& inputs, const harness::Context& context)
      : inputs_(inputs),
        ranks_(*context.ranks),
        // The operator of the model problem, UnitLaplacian with zeros beyond the box.
        operator_(ranks_, {stencil::Form::constant, stencil::Boundary::zero, inputs.problem().grid}) {}

  void allocate() {
    solver_.emplace(operator_, inputs_.problem().options);
    b_ = operator_.make_field();
    x_ = operator_.make_field();
  }
  void upload() {
    operator_.set(is_root() ? &inputs_.system().op() : nullptr);
    solver_->prepare();
    operator_.scatter(is_root() ? inputs_.system().b().data() : nullptr, b_.span());
  }
  void execute(Answer&) {
    operator_.for_cells([&](std::int64_t i) { x_.data()[i] = T(0); });
    result_ = solver_->solve(b_.span(), x_.span());
  }
  void download(Answer& answer) {
    answer.result = result_;
    operator_.gather(x_.span(), is_root() ? answer.x.data() : nullptr);
  }
  void poison() { result_ = {}; }
  double exchange_seconds() const { return operator_.exchange_seconds(); }
  harness::Choices choices(const Answer& answer) const {
    harness::Choices all = harness::joined(choices_of(answer.result), harness::host_choices(1));
    all.emplace_back("division", operator_.division_text());
    return all;
  }

 private:
  bool is_root() const { return ranks_.rank() == 0; }

  const Inputs<T>& inputs_;
  const comm::Communicator& ranks_;
  stencil::DistributedOperator<T> operator_;
  std::optional<stencil::DistributedCg<T>> solver_;
  core::HostBuffer<T> b_, x_;
  stencil::CgResult result_;
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::host_solver<Inputs, RanksSolver>()}}; }

}  // namespace speedwell::cg

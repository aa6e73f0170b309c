// stencil on ranks for the harness: the first rank distributes the fields and collects the result.
#include <algorithm>
#include <limits>

#include "speedwell/apps/stencil/adapter.hpp"
#include "speedwell/apps/stencil/distributed.hpp"
#include "speedwell/comm/sums.hpp"
#include "speedwell/harness/host_choices.hpp"

namespace speedwell::stencil {
namespace {

constexpr int sweeps_of_an_exchange = 4;  // as many as stencil::sweep() makes in a pass over memory

int depth_of(const Spec& spec, int ranks) {
  if (spec.kernel != Kernel::jacobi) return 1;
  const int wanted = std::min(sweeps_of_an_exchange, spec.steps);
  return largest_depth(spec.problem.grid, spec.problem.boundary, ranks, wanted);
}

template <class T>
class RanksSolver {
 public:
  using Answer = typename Inputs<T>::Answer;

  RanksSolver(const Inputs<T>& inputs, const harness::Context& context, bool overlapped)
      : inputs_(inputs),
        ranks_(*context.ranks),
        overlapped_(overlapped),
        depth_(depth_of(inputs.spec(), ranks_.size())),
        operator_(ranks_, {problem().form, problem().boundary, problem().grid}, depth_) {}

  void allocate() {
    x_ = operator_.make_field();
    if (kernel() == Kernel::sum) return;
    y_ = operator_.make_field();
    if (kernel() != Kernel::jacobi) return;
    initial_ = operator_.make_field();
    scratch_ = operator_.make_field();
  }
  void upload() {
    operator_.set(is_root() ? &inputs_.op() : nullptr);
    operator_.scatter(is_root() ? inputs_.x().data() : nullptr, x_.span());
    if (kernel() == Kernel::jacobi) std::copy_n(x_.data(), x_.size(), initial_.data());
  }
  void reset() {
    if (kernel() == Kernel::jacobi) std::copy_n(initial_.data(), initial_.size(), x_.data());
  }
  void poison() {
    sum_ = std::numeric_limits<double>::quiet_NaN();
    // Not the halo, which is 0 beyond the ends of the box.
    if (y_.size() > 0) operator_.for_cells([&](std::int64_t i) { y_.data()[i] = std::numeric_limits<T>::quiet_NaN(); });
  }
  void execute(Answer&) {
    if (kernel() == Kernel::sum) {
      sum_ = sum_of_squares<T>(x_.span(), 1);  // the halo, which is never filled here, is 0
      comm::sum_in_order(ranks_, std::span<double>(&sum_, 1));
    } else if (kernel() == Kernel::jacobi) {
      operator_.sweep(x_.span(), y_.span(), scratch_.span(), inputs_.spec().steps);
    } else if (overlapped_) {
      operator_.multiply(x_.span(), y_.span());
    } else {
      operator_.exchange_and_multiply(x_.span(), y_.span());
    }
  }
  void download(Answer& answer) {
    answer.sum = sum_;
    if (kernel() != Kernel::sum) operator_.gather(y_.span(), is_root() ? answer.y.data() : nullptr);
  }
  core::Verdict verify(const Answer& answer) { return inputs_.verify(answer, SumOrder::lanes, sum_errors_); }
  double exchange_seconds() const { return operator_.exchange_seconds(); }
  harness::Choices choices() const {
    if (kernel() == Kernel::sum) return sum_choices(sum_errors_);
    harness::Choices all = harness::host_choices(1);
    all.emplace_back("division", operator_.division_text());
    if (kernel() == Kernel::jacobi) all.emplace_back("sweeps_of_an_exchange", std::to_string(depth_));
    return all;
  }

 private:
  const Problem& problem() const { return inputs_.spec().problem; }
  Kernel kernel() const { return inputs_.spec().kernel; }
  bool is_root() const { return ranks_.rank() == 0; }

  const Inputs<T>& inputs_;
  const comm::Communicator& ranks_;
  bool overlapped_;
  int depth_;
  DistributedOperator<T> operator_;
  core::HostBuffer<T> x_, y_, initial_, scratch_;
  double sum_ = 0;
  SumErrors sum_errors_;
};

}  // namespace

std::vector<harness::Binding> mpi_runs() {
  return {{"mpi-exchange", harness::host_solver<Inputs, RanksSolver>(false)},
          {"mpi", harness::host_solver<Inputs, RanksSolver>(true)}};
}

}  // namespace speedwell::stencil

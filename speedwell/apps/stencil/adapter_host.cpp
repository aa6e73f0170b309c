#include "speedwell/apps/stencil/adapter_host.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "speedwell/core/isa.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::stencil {
namespace {

template <class T>
class HostSolver {
 public:
  HostSolver(const Inputs<T>& inputs, const harness::Context& context, HostMethod method)
      : inputs_(inputs), threads_(method == HostMethod::serial ? 1 : context.threads), method_(method) {}

  void allocate(Answer<T>& answer) {
    const Spec& spec = inputs_.spec();
    if (spec.kernel == Kernel::cg) {
      clear(answer);  // its pages are first touched by the threads that will use them
      CgOptions options = spec.cg;
      options.threads = threads_;
      options.two_passes = method_ != HostMethod::textbook;
      if (!spec.assembled() && method_ != HostMethod::mixed) solver_ = CgSolver<T>(spec.problem.grid, options);
    }
    if (spec.kernel == Kernel::jacobi) workspace_ = core::HostBuffer<T>(inputs_.output_size());
    if (method_ == HostMethod::ell) ell_ = sliced(inputs_.matrix());
    if (method_ == HostMethod::dia) dia_ = diagonals(inputs_.matrix());
    if (method_ == HostMethod::bsr) bsr_ = blocked(inputs_.matrix());
  }
  void poison() {
    if (workspace_.size() > 0) std::memset(workspace_.data(), 0xff, workspace_.bytes());
  }
  void execute(Answer<T>& answer) {
    switch (inputs_.spec().kernel) {
      case Kernel::product:
        return product(inputs_.x(), answer.y.span());
      case Kernel::jacobi:
        if (method_ == HostMethod::best)
          return sweep<T>(inputs_.op(), inputs_.x(), answer.y.span(), workspace_.span(), inputs_.spec().steps, 0,
                          {.threads = threads_});
        return single_sweeps(answer.y.span());
      case Kernel::spmv:
        return sparse_product(answer.y.span());
      case Kernel::cg:
        return iterate(answer);
      case Kernel::sum:
        answer.sum = method_ == HostMethod::best
                         ? sum_of_squares<T>(inputs_.x(), threads_)
                         : sum_of_squares_in_stages<T>(inputs_.spec().problem.grid, inputs_.x(), threads_);
    }
  }
  core::Verdict verify(const Answer<T>& answer) {
    if (inputs_.spec().kernel != Kernel::sum) return inputs_.verify(answer);
    const SumOrder order = method_ == HostMethod::best ? SumOrder::lanes : SumOrder::stages;
    return inputs_.verify_sum(answer.sum, order, sum_errors_);
  }
  harness::Choices choices(const Answer<T>& answer) const {
    if (inputs_.spec().kernel == Kernel::sum) return sum_choices(sum_errors_);
    harness::Choices all;
    if (inputs_.spec().kernel == Kernel::cg) all = cg_choices(answer.cg);
    if (method_ == HostMethod::bsr) all.emplace_back("block_side", std::to_string(bsr_.side));
    if (method_ == HostMethod::dia) all.emplace_back("diagonals", std::to_string(dia_.offset.size()));
    if (method_ != HostMethod::serial) {
      all.emplace_back("instruction_set", std::string(core::to_string(core::best_isa())));
      all.emplace_back("threads_at_most", std::to_string(threads_));
    }
    return all;
  }

 private:
  void product(std::span<const T> x, std::span<T> y) {
    if (method_ == HostMethod::serial) return multiply_serially<T>(inputs_.op(), x, y);
    const Traversal traversal = method_ == HostMethod::planes   ? Traversal::planes
                                : method_ == HostMethod::blocks ? Traversal::blocks
                                                                : Traversal::strips;
    multiply<T>(inputs_.op(), x, y, {.threads = threads_, .traversal = traversal});
  }
  void sparse_product(std::span<T> y) {
    if (method_ == HostMethod::ell) return multiply<T>(ell_, inputs_.x(), y, threads_);
    if (method_ == HostMethod::dia) return multiply<T>(dia_, inputs_.x(), y, threads_);
    if (method_ == HostMethod::bsr) return multiply<T>(bsr_, inputs_.x(), y, threads_);
    multiply<T>(inputs_.matrix(), inputs_.x(), y, threads_);
  }
  void iterate(Answer<T>& answer) {
    const Spec& spec = inputs_.spec();
    CgOptions options = spec.cg;
    options.threads = threads_;
    clear(answer);
    if constexpr (std::is_same_v<T, double>)
      if (method_ == HostMethod::mixed) {
        answer.cg = solve_mixed(inputs_.op(), inputs_.x(), answer.y.span(), options);
        return;
      }
    answer.cg = spec.assembled() ? solve<T>(inputs_.matrix(), inputs_.x(), answer.y.span(), options)
                                 : solver_.solve(inputs_.op(), inputs_.x(), answer.y.span());
    require_definite(spec, answer.cg);
  }
  void clear(Answer<T>& answer) {
    core::parallel_for(answer.y.size(), sizeof(T), threads_, [&](std::size_t begin, std::size_t end) {
      std::fill(answer.y.data() + begin, answer.y.data() + end, T(0));
    });
  }
  /// Jacobi's sweeps, each a pass over memory.
  void single_sweeps(std::span<T> y) {
    const int steps = inputs_.spec().steps;
    std::span<const T> from = inputs_.x();
    for (int step = 0; step < steps; ++step) {
      const std::span<T> to = (steps - 1 - step) % 2 == 0 ? y : workspace_.span();
      product(from, to);
      from = to;
    }
  }

  const Inputs<T>& inputs_;
  int threads_;
  HostMethod method_;
  core::HostBuffer<T> workspace_;
  SlicedEll<T> ell_;
  Dia<T> dia_;
  Bsr<T> bsr_;
  CgSolver<T> solver_;
  SumErrors sum_errors_;
};

}  // namespace

harness::Variant::Make host_solver(HostMethod method) { return harness::host_solver<Inputs, HostSolver>(method); }

}  // namespace speedwell::stencil

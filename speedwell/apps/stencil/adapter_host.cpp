#include "speedwell/apps/stencil/adapter_host.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "speedwell/core/isa.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::stencil {
namespace {

template <class T>
class HostRun final : public harness::Run {
 public:
  HostRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context& context, HostMethod method)
      : inputs_(std::move(inputs)), threads_(method == HostMethod::serial ? 1 : context.threads), method_(method) {}

  void allocate() override {
    y_.allocate(*inputs_);
    if (inputs_->spec().kernel == Kernel::cg) {
      clear();  // its pages are first touched by the threads that will use them
      CgOptions options = inputs_->spec().cg;
      options.threads = threads_;
      options.two_passes = method_ != HostMethod::textbook;
      if (!inputs_->spec().assembled() && method_ != HostMethod::mixed)
        solver_ = CgSolver<T>(inputs_->spec().problem.grid, options);
    }
    if (inputs_->spec().kernel == Kernel::jacobi) workspace_ = core::HostBuffer<T>(inputs_->outputs());
    if (method_ == HostMethod::ell) ell_ = sliced(inputs_->matrix());
    if (method_ == HostMethod::dia) dia_ = diagonals(inputs_->matrix());
    if (method_ == HostMethod::bsr) bsr_ = blocked(inputs_->matrix());
  }
  void poison() override {
    y_.poison();
    if (workspace_.size() > 0) std::memset(workspace_.data(), 0xff, workspace_.bytes());
    result_ = {};
  }
  void execute() override {
    const Spec& spec = inputs_->spec();
    switch (spec.kernel) {
      case Kernel::product:
        return product(inputs_->x(), y_.span());
      case Kernel::jacobi:
        if (method_ == HostMethod::best)
          return sweep<T>(inputs_->op(), inputs_->x(), y_.span(), workspace_.span(), spec.steps, 0,
                          {.threads = threads_});
        return one_by_one();
      case Kernel::spmv:
        return sparse_product();
      case Kernel::cg:
        return iterations();
      case Kernel::sum:
        throw std::logic_error("stencil: a sum has its own run");
    }
  }
  core::Verdict verify() override { return inputs_->judge(y_.span(), result_); }
  std::vector<harness::Output> outputs() override { return y_.outputs(); }
  std::vector<std::pair<std::string, std::string>> choices() override {
    std::vector<std::pair<std::string, std::string>> all;
    if (inputs_->spec().kernel == Kernel::cg) all = cg_choices(result_);
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
    if (method_ == HostMethod::serial) return multiply_serially<T>(inputs_->op(), x, y);
    const Traversal traversal = method_ == HostMethod::planes   ? Traversal::planes
                                : method_ == HostMethod::blocks ? Traversal::blocks
                                                                : Traversal::strips;
    multiply<T>(inputs_->op(), x, y, {.threads = threads_, .traversal = traversal});
  }
  void sparse_product() {
    if (method_ == HostMethod::ell) return multiply<T>(ell_, inputs_->x(), y_.span(), threads_);
    if (method_ == HostMethod::dia) return multiply<T>(dia_, inputs_->x(), y_.span(), threads_);
    if (method_ == HostMethod::bsr) return multiply<T>(bsr_, inputs_->x(), y_.span(), threads_);
    multiply<T>(inputs_->matrix(), inputs_->x(), y_.span(), threads_);
  }
  void iterations() {
    const Spec& spec = inputs_->spec();
    CgOptions options = spec.cg;
    options.threads = threads_;
    clear();
    if constexpr (std::is_same_v<T, double>)
      if (method_ == HostMethod::mixed) {
        result_ = solve_mixed(inputs_->op(), inputs_->x(), y_.span(), options);
        return;
      }
    result_ = spec.assembled() ? solve<T>(inputs_->matrix(), inputs_->x(), y_.span(), options)
                               : solver_.solve(inputs_->op(), inputs_->x(), y_.span());
    require_definite(spec, result_);
  }
  void clear() {
    core::parallel_for(inputs_->outputs(), sizeof(T), threads_, [&](std::size_t begin, std::size_t end) {
      std::fill(y_.span().data() + begin, y_.span().data() + end, T(0));
    });
  }
  void one_by_one() {
    std::span<const T> from = inputs_->x();
    for (int step = 0; step < inputs_->spec().steps; ++step) {
      const std::span<T> to = (inputs_->spec().steps - 1 - step) % 2 == 0 ? y_.span() : workspace_.span();
      product(from, to);
      from = to;
    }
  }

  std::shared_ptr<const Inputs<T>> inputs_;
  int threads_;
  HostMethod method_;
  Answer<T> y_;
  core::HostBuffer<T> workspace_;
  SlicedEll<T> ell_;
  Dia<T> dia_;
  Bsr<T> bsr_;
  CgResult result_;
  CgSolver<T> solver_;
};

}  // namespace

harness::Variant::Make make_host_run(HostMethod method) {
  const harness::Variant::Make run = make_in_precision<HostRun>(method), sum = make_host_sum(method);
  return [run, sum](std::shared_ptr<const harness::Workload> prepared, const harness::Context& context) {
    const bool is_sum = kernel_of_case(*prepared) == Kernel::sum;
    return (is_sum ? sum : run)(std::move(prepared), context);
  };
}

}  // namespace speedwell::stencil

#include "speedwell/apps/stencil/adapter_host.hpp"

#include "speedwell/core/isa.hpp"

namespace speedwell::stencil {
namespace {

template <class T>
class HostRun final : public harness::Run {
 public:
  HostRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context& context, HostWay way)
      : inputs_(std::move(inputs)), threads_(way == HostWay::serial ? 1 : context.threads), way_(way) {}

  void allocate() override {
    y_.allocate(inputs_->outputs());
    if (inputs_->spec().kernel == Kernel::jacobi) scratch_ = core::HostBuffer<T>(inputs_->outputs());
    if (way_ == HostWay::ell) ell_ = sliced(inputs_->matrix());
  }
  void poison() override {
    y_.poison();
    if (scratch_.size() > 0) std::memset(scratch_.data(), 0xff, scratch_.bytes());
    result_ = {};
  }
  void execute() override {
    const Spec& spec = inputs_->spec();
    switch (spec.kernel) {
      case Kernel::product:
        return product(inputs_->x(), y_.span());
      case Kernel::jacobi:
        if (way_ == HostWay::best)
          return sweep<T>(inputs_->op(), inputs_->x(), y_.span(), scratch_.span(), spec.steps, 0,
                          {.threads = threads_});
        return one_by_one();
      case Kernel::spmv:
        return way_ == HostWay::ell ? multiply<T>(ell_, inputs_->x(), y_.span(), threads_)
                                    : multiply<T>(inputs_->matrix(), inputs_->x(), y_.span(), threads_);
      case Kernel::cg: {
        CgOptions options = spec.cg;
        options.threads = threads_;
        std::fill(y_.span().begin(), y_.span().end(), T(0));
        result_ = solve<T>(inputs_->op(), inputs_->x(), y_.span(), options);
      }
    }
  }
  core::Verdict verify() override { return inputs_->judge(y_.span(), result_); }
  std::vector<harness::Output> outputs() override { return y_.outputs(); }
  std::vector<std::pair<std::string, std::string>> choices() override {
    std::vector<std::pair<std::string, std::string>> all;
    if (inputs_->spec().kernel == Kernel::cg) all = cg_choices(result_);
    if (way_ != HostWay::serial) {
      all.emplace_back("instruction_set", std::string(core::to_string(core::best_isa())));
      all.emplace_back("threads_at_most", std::to_string(threads_));
    }
    return all;
  }

 private:
  void product(std::span<const T> x, std::span<T> y) {
    if (way_ == HostWay::serial) return multiply_serially<T>(inputs_->op(), x, y);
    const Marching marching = way_ == HostWay::planes   ? Marching::planes
                              : way_ == HostWay::blocks ? Marching::blocks
                                                        : Marching::strips;
    multiply<T>(inputs_->op(), x, y, {.threads = threads_, .marching = marching});
  }
  void one_by_one() {
    std::span<const T> from = inputs_->x();
    for (int step = 0; step < inputs_->spec().steps; ++step) {
      const std::span<T> to = (inputs_->spec().steps - 1 - step) % 2 == 0 ? y_.span() : scratch_.span();
      product(from, to);
      from = to;
    }
  }

  std::shared_ptr<const Inputs<T>> inputs_;
  int threads_;
  HostWay way_;
  Answer<T> y_;
  core::HostBuffer<T> scratch_;
  SlicedEll<T> ell_;
  CgResult result_;
};

}  // namespace

harness::Variant::Make make_host_run(HostWay way) { return make_in_precision<HostRun>(way); }

}  // namespace speedwell::stencil

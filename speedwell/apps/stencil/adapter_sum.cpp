// Sums on the host: one double, judged as it is.
#include <limits>

#include "speedwell/apps/stencil/adapter_host.hpp"

namespace speedwell::stencil {
namespace {

template <class T>
class HostSumRun final : public harness::Run {
 public:
  HostSumRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context& context, HostWay way)
      : inputs_(std::move(inputs)), threads_(way == HostWay::serial ? 1 : context.threads), way_(way) {}

  void poison() override { sum_ = std::numeric_limits<double>::quiet_NaN(); }
  void execute() override {
    sum_ = way_ == HostWay::best ? sum_of_squares<T>(inputs_->x(), threads_)
                                 : sum_of_squares_in_stages<T>(inputs_->spec().problem.grid, inputs_->x(), threads_);
  }
  core::Verdict verify() override {
    return inputs_->judge_sum(sum_, way_ == HostWay::best ? SumOrder::lanes : SumOrder::stages, errors_);
  }
  std::vector<harness::Output> outputs() override { return {{"sum", harness::ElementType::f64, &sum_, 1}}; }
  std::vector<std::pair<std::string, std::string>> choices() override { return sum_choices(errors_); }

 private:
  std::shared_ptr<const Inputs<T>> inputs_;
  int threads_;
  HostWay way_;
  double sum_ = 0;
  SumErrors errors_;
};

}  // namespace

harness::Variant::Make make_host_sum(HostWay way) { return make_in_precision<HostSumRun>(way); }

}  // namespace speedwell::stencil

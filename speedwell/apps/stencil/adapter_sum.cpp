// Sums on the host: one double, judged as it is.
#include <limits>

#include "speedwell/apps/stencil/adapter_host.hpp"

namespace speedwell::stencil {
namespace {

template <class T>
class HostSumRun final : public harness::Run {
 public:
  HostSumRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context& context, HostMethod method)
      : inputs_(std::move(inputs)), threads_(method == HostMethod::serial ? 1 : context.threads), method_(method) {}

  void poison() override { sum_ = std::numeric_limits<double>::quiet_NaN(); }
  void execute() override {
    sum_ = method_ == HostMethod::best
               ? sum_of_squares<T>(inputs_->x(), threads_)
               : sum_of_squares_in_stages<T>(inputs_->spec().problem.grid, inputs_->x(), threads_);
  }
  core::Verdict verify() override {
    return inputs_->judge_sum(sum_, method_ == HostMethod::best ? SumOrder::lanes : SumOrder::stages, errors_);
  }
  std::vector<harness::Output> outputs() override { return {{"sum", harness::ElementType::f64, &sum_, 1}}; }
  std::vector<std::pair<std::string, std::string>> choices() override { return sum_choices(errors_); }

 private:
  std::shared_ptr<const Inputs<T>> inputs_;
  int threads_;
  HostMethod method_;
  double sum_ = 0;
  SumErrors errors_;
};

}  // namespace

harness::Variant::Make make_host_sum(HostMethod method) { return make_in_precision<HostSumRun>(method); }

}  // namespace speedwell::stencil

#include "speedwell/apps/vector_calculus/adapter_host.hpp"

#include "speedwell/apps/vector_calculus/cpu.hpp"
#include "speedwell/core/isa.hpp"

namespace speedwell::vector_calculus {
namespace {

template <class T>
class HostRun final : public harness::Run {
 public:
  HostRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context& context, HostMethod method)
      : inputs_(std::move(inputs)), threads_(context.threads), method_(method) {}

  void allocate() override {
    answer_.allocate(*inputs_);
    if (method_ != HostMethod::unfused) return;
    const std::size_t words = static_cast<std::size_t>(3 * inputs_->problem().grid.size());
    for (auto& field : between_) field = core::HostBuffer<T>(words, core::Pages::large);
  }
  void poison() override {
    answer_.poison();
    for (auto& field : between_)
      if (field.size() > 0) std::memset(field.data(), 0xff, field.bytes());
  }
  void execute() override {
    const Problem& problem = inputs_->problem();
    const Operands<T> operands = inputs_->operands();
    if (method_ == HostMethod::serial)
      return apply_serially(problem.operation, problem.layout, operands, answer_.data());
    if (method_ == HostMethod::cores)
      return apply(problem.operation, problem.layout, operands, answer_.data(), threads_);
    const Between<T> between{between_[0].data(), between_[1].data(), between_[2].data()};
    for (const ChainStep& step : steps_of_chain(problem.operation)) {
      const ChainCall<T> call = call_of_step(step, operands, between, answer_.data());
      apply(step.operation, problem.layout, call.operands, call.out, threads_);
    }
  }
  core::Verdict verify() override { return answer_.verify(*inputs_); }
  std::vector<harness::Output> outputs() override { return answer_.outputs(); }
  std::vector<std::pair<std::string, std::string>> choices() override {
    auto all = answer_.choices();
    if (method_ != HostMethod::serial) {
      all.emplace_back("instruction_set", std::string(core::to_string(core::best_isa())));
      all.emplace_back("threads_at_most", std::to_string(threads_));
    }
    return all;
  }

 private:
  std::shared_ptr<const Inputs<T>> inputs_;
  int threads_;
  HostMethod method_;
  Answer<T> answer_;
  core::HostBuffer<T> between_[3];
};

}  // namespace

harness::Variant::Make make_host_run(HostMethod method) { return make_in_precision<HostRun>(method); }

}  // namespace speedwell::vector_calculus

// The GPU rows: a run that forwards to a plan, which crosses arrays as the row's step says.
#include "speedwell/apps/fft/adapter_cuda.hpp"

#include <optional>

#include "speedwell/apps/fft/adapter_case_cuda.hpp"
#include "speedwell/apps/fft/gpu_fft.hpp"
#include "speedwell/apps/fft/gpu_ladder.hpp"

namespace speedwell::fft {
namespace {

template <class T>
class StepRun final : public DeviceRun<T> {
 public:
  StepRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&, const Step* step)
      : DeviceRun<T>(std::move(inputs)), step_(step) {}

  bool plan() override {
    const GpuOptions options{.step = step_->name};
    if (this->is_real())
      real_.emplace(this->problem().shape, options);
    else
      complex_.emplace(this->problem().shape, options);
    return true;
  }

  std::vector<std::pair<std::string, std::string>> choices() override {
    return {
        {"host_memory", "pageable"},
        {"work_space_bytes", std::to_string(static_cast<std::int64_t>(real_ ? real_->bytes() : complex_->bytes()))}};
  }

 protected:
  void enqueue() override {
    const core::Stream& stream = this->stream();
    if (complex_)
      complex_->transform(this->problem().direction, complexes<T>(std::span<const T>(this->in())),
                          complexes(this->out()), stream);
    else if (this->is_backward())
      real_->backward(complexes<T>(std::span<const T>(this->in())), this->out(), stream);
    else
      real_->forward(this->in(), complexes(this->out()), stream);
  }

 private:
  const Step* step_;
  std::optional<GpuPlan<T>> complex_;
  std::optional<GpuRealPlan<T>> real_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings = cufft_runs();
  for (const Step& step : steps) bindings.push_back({std::string(step.name), make_on_device<StepRun>(&step)});
  return bindings;
}

}  // namespace speedwell::fft

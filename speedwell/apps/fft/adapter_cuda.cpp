// The GPU variants of fft for the harness.
#include <optional>

#include "speedwell/apps/fft/adapter.hpp"
#include "speedwell/apps/fft/adapter_device.hpp"
#include "speedwell/numerics/fft/gpu_fft.hpp"
#include "speedwell/numerics/fft/gpu_ladder.hpp"

namespace speedwell::fft {
namespace {

template <class T>
class PlanSolver : public DeviceArrays<T> {
 public:
  PlanSolver(const Inputs<T>& inputs, const harness::Context& context, const Step* step)
      : DeviceArrays<T>(inputs, context), step_(step) {}

  bool plan(const core::Stream&) {
    const GpuOptions options{.step = step_->name};
    if (this->inputs().is_real())
      real_.emplace(this->problem().shape, options);
    else
      complex_.emplace(this->problem().shape, options);
    return true;
  }
  void execute(const core::Stream& stream) {
    if (complex_)
      complex_->transform(this->problem().direction, complexes<T>(std::span<const T>(this->in())),
                          complexes(this->out()), stream);
    else if (this->inputs().is_backward())
      real_->backward(complexes<T>(std::span<const T>(this->in())), this->out(), stream);
    else
      real_->forward(this->in(), complexes(this->out()), stream);
  }
  harness::Choices choices() const {
    const auto bytes = static_cast<std::int64_t>(real_ ? real_->bytes() : complex_->bytes());
    return {{"host_memory", "pageable"}, {"work_space_bytes", std::to_string(bytes)}};
  }

 private:
  const Step* step_;
  std::optional<GpuPlan<T>> complex_;
  std::optional<GpuRealPlan<T>> real_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings;
  for (const Step& step : steps)
    bindings.push_back({std::string(step.name), harness::device_solver<Inputs, PlanSolver>(&step)});
  return bindings;
}

}  // namespace speedwell::fft

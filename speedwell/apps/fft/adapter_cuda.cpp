// The GPU variants of fft for the harness.
#include <optional>

#include "speedwell/apps/fft/adapter.hpp"
#include "speedwell/apps/fft/adapter_workload.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"
#include "speedwell/harness/measurement/device_vectors.hpp"
#include "speedwell/numerics/fft/gpu_fft.hpp"
#include "speedwell/numerics/fft/gpu_ladder.hpp"

namespace speedwell::fft {
namespace {

template <class T>
class PlanSolver : public harness::DeviceVectors<T> {
 public:
  PlanSolver(const Inputs<T>& inputs, const harness::Context&, const Step* step)
      : harness::DeviceVectors<T>(inputs.in(), output_reals(inputs.problem())), inputs_(inputs), step_(step) {}

  bool plan(const core::Stream&) {
    const GpuOptions options{.step = step_->name};
    if (inputs_.is_real())
      real_.emplace(inputs_.problem().shape, options);
    else
      complex_.emplace(inputs_.problem().shape, options);
    return true;
  }
  void execute(const core::Stream& stream) {
    const std::span<const T> in = this->x_span();
    const std::span<T> out = this->y_span();
    if (complex_)
      complex_->transform(inputs_.problem().direction, complexes(in), complexes(out), stream);
    else if (inputs_.is_backward())
      real_->backward(complexes(in), out, stream);
    else
      real_->forward(in, complexes(out), stream);
  }
  harness::Choices choices() const {
    const auto bytes = static_cast<std::int64_t>(real_ ? real_->bytes() : complex_->bytes());
    return {{"host_memory", "pageable"}, {"work_space_bytes", std::to_string(bytes)}};
  }

 private:
  const Inputs<T>& inputs_;
  const Step* step_;
  std::optional<GpuPlan<T>> complex_;
  std::optional<GpuRealPlan<T>> real_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  return harness::ladder_bindings(steps,
                                  [](const Step& step) { return harness::device_solver<Inputs, PlanSolver>(&step); });
}

}  // namespace speedwell::fft

// The GPU variants of npb for the harness.
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "speedwell/apps/npb/adapter.hpp"
#include "speedwell/apps/npb/adapter_rows.hpp"
#include "speedwell/apps/npb/ep/adapter_ep.hpp"
#include "speedwell/apps/npb/ep/gpu_solver.hpp"
#include "speedwell/apps/npb/ep/ladder.hpp"
#include "speedwell/apps/npb/ft/adapter_ft.hpp"
#include "speedwell/apps/npb/ft/gpu_fused_solver.hpp"
#include "speedwell/apps/npb/ft/gpu_solver.hpp"
#include "speedwell/apps/npb/ft/ladder.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::npb {
namespace {

/// A solver of the library for the harness. Its results are in host memory when the computation has ended, as the clock
/// of the benchmarks requires.
template <class W, class GpuSolver>
class DeviceSolver {
 public:
  DeviceSolver(const W& workload, const harness::Context&, std::string_view step) : workload_(workload), step_(step) {}

  void allocate() {
    if constexpr (std::is_constructible_v<GpuSolver, decltype(workload_.problem), std::string_view>)
      solver_.emplace(workload_.problem, step_);
    else
      solver_.emplace(workload_.problem);
  }
  void upload(const core::Stream& stream) {
    if constexpr (requires { solver_->upload(stream); }) solver_->upload(stream);
  }
  void poison(const core::Stream& stream) {
    harness::poison_async(solver_->device_work(), stream);
    harness::poison_host(solver_->pinned_result());
  }
  void execute(const core::Stream& stream) { solver_->run(stream); }
  void download(typename W::Answer& answer, const core::Stream&) { answer = solver_->result(); }
  harness::Choices choices() const { return {{"host_memory", "pinned"}}; }

 private:
  const W& workload_;
  std::string_view step_;
  std::optional<GpuSolver> solver_;
};

class EpDeviceSolver : public DeviceSolver<ep::EpWorkload, ep::GpuSolver> {
 public:
  EpDeviceSolver(const ep::EpWorkload& workload, const harness::Context& context, const ep::Step* step)
      : DeviceSolver(workload, context, step->name) {
    if (context.deterministic && !step->same_bits_every_time)
      throw core::Unavailable(std::string(step->name) + ": atomic additions are made in any order");
  }
};

std::vector<harness::Binding> ep_runs() {
  return harness::ladder_bindings(
      ep::steps, [](const ep::Step& step) { return harness::device_solver<ep::EpWorkload, EpDeviceSolver>(&step); });
}

template <class GpuSolver>
harness::Variant::Make ft_solver(const ft::Step& step) {
  return harness::device_solver<ft::FtWorkload, DeviceSolver<ft::FtWorkload, GpuSolver>>(step.name);
}

std::vector<harness::Binding> ft_runs() {
  return harness::ladder_bindings(ft::steps, [](const ft::Step& step) {
    return step.name == "cuda" ? ft_solver<ft::FusedGpuSolver>(step) : ft_solver<ft::GpuSolver>(step);
  });
}

}  // namespace

std::vector<harness::Binding> cuda_runs() { return bindings_of({{"ep", ep_runs()}, {"ft", ft_runs()}}); }

}  // namespace speedwell::npb

// The GPU variants of npb for the harness.
#include <string>
#include <string_view>

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
#include "speedwell/harness/device_solver_run.hpp"

namespace speedwell::npb {
namespace {

/// A solver of the library for the harness. Its results are in host memory when the computation has ended, as the clock
/// of the benchmarks requires.
template <class W, class GpuSolver>
class DeviceSolver : public GpuSolver {
 public:
  DeviceSolver(const W& workload, const harness::Context&, std::string_view step) : GpuSolver(workload.problem, step) {}

  void execute(const core::Stream& stream) { this->run(stream); }
  void download(typename W::Answer& answer, const core::Stream&) { answer = this->result(); }
  harness::Choices choices() const { return {{"host_memory", "pinned"}}; }
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
  std::vector<harness::Binding> bindings;
  for (const ep::Step& step : ep::steps)
    bindings.push_back({std::string(step.name), harness::device_solver<ep::EpWorkload, EpDeviceSolver>(&step)});
  return bindings;
}

template <class GpuSolver>
harness::Variant::Make ft_solver(const ft::Step& step) {
  return harness::device_solver<ft::FtWorkload, DeviceSolver<ft::FtWorkload, GpuSolver>>(step.name);
}

std::vector<harness::Binding> ft_runs() {
  std::vector<harness::Binding> bindings;
  for (const ft::Step& step : ft::steps)
    bindings.push_back({std::string(step.name),
                        step.name == "cuda" ? ft_solver<ft::FusedGpuSolver>(step) : ft_solver<ft::GpuSolver>(step)});
  return bindings;
}

}  // namespace

std::vector<harness::Binding> cuda_runs() { return bindings_of({{"ep", ep_runs()}, {"ft", ft_runs()}}); }

}  // namespace speedwell::npb

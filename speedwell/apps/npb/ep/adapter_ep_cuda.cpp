// The GPU rows of EP.
#include <memory>
#include <string>

#include "speedwell/apps/npb/adapter_cuda.hpp"
#include "speedwell/apps/npb/adapter_device_run.hpp"
#include "speedwell/apps/npb/ep/adapter_ep.hpp"
#include "speedwell/apps/npb/ep/gpu_solver.hpp"
#include "speedwell/apps/npb/ep/ladder.hpp"

namespace speedwell::npb::ep {
namespace {

harness::Variant::Make make_of(const Step& step) {
  const auto make = make_device_run<EpCase, GpuSolver>(step.name);
  if (step.same_bits_every_time) return make;
  return [make, name = std::string(step.name)](std::shared_ptr<const harness::Workload> prepared,
                                               const harness::Context& context) {
    if (context.deterministic) throw core::Unavailable(name + ": atomic additions are made in any order");
    return make(std::move(prepared), context);
  };
}

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings;
  for (const Step& step : steps) bindings.push_back({std::string(step.name), make_of(step)});
  return bindings;
}

}  // namespace speedwell::npb::ep

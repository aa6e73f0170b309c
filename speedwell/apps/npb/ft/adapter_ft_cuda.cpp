// The GPU rows of FT.
#include <string>

#include "speedwell/apps/npb/adapter_cuda.hpp"
#include "speedwell/apps/npb/adapter_device_run.hpp"
#include "speedwell/apps/npb/ft/adapter_ft.hpp"
#include "speedwell/apps/npb/ft/gpu_fused_solver.hpp"
#include "speedwell/apps/npb/ft/gpu_solver.hpp"

namespace speedwell::npb::ft {

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings;
  for (const Step& step : steps)
    bindings.push_back({std::string(step.name), step.name == "cuda" ? make_device_run<FtCase, FusedGpuSolver>(step.name)
                                                                    : make_device_run<FtCase, GpuSolver>(step.name)});
  return bindings;
}

}  // namespace speedwell::npb::ft

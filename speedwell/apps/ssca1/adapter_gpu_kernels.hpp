// The library's classes of the five kernels on a GPU: how the variants on one GPU and on several make them, and what
// they return. Included by CUDA sources only.
#pragma once

#include <memory>
#include <type_traits>

#include "speedwell/apps/ssca1/adapter_workload.hpp"
#include "speedwell/apps/ssca1/kernel1/kernel1_gpu_table.hpp"
#include "speedwell/apps/ssca1/kernel2_gpu_traces.hpp"
#include "speedwell/apps/ssca1/kernel3_gpu_similar.hpp"
#include "speedwell/apps/ssca1/kernel4_gpu_differences.hpp"
#include "speedwell/apps/ssca1/kernel5_gpu_stars.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::ssca1 {

/// An object of the class of a kernel. The arguments, all of them or those of a rank's part, must outlive it.
template <class Kernel>
Kernel make_kernel(const KernelArguments& a, int device) {
  if constexpr (std::is_same_v<Kernel, GpuTable>)
    return GpuTable(a.main, a.match, *a.scoring, a.endpoint_rules, device);
  else if constexpr (std::is_same_v<Kernel, GpuTraces>)
    return GpuTraces(a.main, a.match, *a.scoring, a.endpoints, a.trace_rules, device);
  else if constexpr (std::is_same_v<Kernel, GpuSimilar>)
    return GpuSimilar(a.main, a.queries, *a.scoring, a.similar_rules, device);
  else if constexpr (std::is_same_v<Kernel, GpuDifferences>)
    return GpuDifferences(a.sets, a.costs, device);
  else
    return GpuStars(a.sets, a.differences, a.costs, device);
}

inline KernelResult result_of(const GpuTable& kernel) { return kernel.endpoints(); }
inline KernelResult result_of(const GpuTraces& kernel) { return kernel.traced(); }
inline KernelResult result_of(const GpuSimilar& kernel) { return kernel.regions(); }
inline KernelResult result_of(const GpuDifferences& kernel) { return kernel.differences(); }
inline KernelResult result_of(const GpuStars& kernel) { return kernel.stars(); }

/// The factory of runs on the solver S<Kernel> with the class of the workload's kernel. S takes no further arguments.
template <template <class> class S>
std::unique_ptr<harness::Run> make_kernel_run(std::shared_ptr<const harness::Workload> workload,
                                              const harness::Context& context) {
  const auto run = [&]<class Kernel>(std::type_identity<Kernel>) {
    return harness::device_solver<Ssca1Workload, S<Kernel>>()(workload, context);
  };
  switch (static_cast<const Ssca1Workload&>(*workload).kernel) {
    case 1:
      return run(std::type_identity<GpuTable>());
    case 2:
      return run(std::type_identity<GpuTraces>());
    case 3:
      return run(std::type_identity<GpuSimilar>());
    case 4:
      return run(std::type_identity<GpuDifferences>());
    default:
      return run(std::type_identity<GpuStars>());
  }
}

}  // namespace speedwell::ssca1

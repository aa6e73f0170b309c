// SSCA#1 on several GPUs for the harness: each rank computes its part with the library's class for the kernel.
#include <optional>

#include "speedwell/apps/ssca1/adapter.hpp"
#include "speedwell/apps/ssca1/adapter_gpu_kernels.hpp"

namespace speedwell::ssca1 {
namespace {

KernelResult part_of(const GpuTable& kernel) { return RankShare::candidates_result(kernel.candidates()); }
template <class Kernel>
KernelResult part_of(const Kernel& kernel) {
  return result_of(kernel);
}

/// The kernels wait for their results and do the rest on the host within run(), so that execute() does, and the first
/// rank has the whole result at its end.
template <class Kernel>
class RanksSolver {
 public:
  RanksSolver(const Ssca1Workload& workload, const harness::Context& context)
      : share_(*context.ranks, workload.arguments()), device_(context.device) {}

  void allocate() {
    kernel_.reset();  // frees first
    if (share_.is_empty()) return;
    const KernelArguments& a = share_.own();
    if constexpr (std::is_same_v<Kernel, GpuTable>)  // of a section
      kernel_.emplace(a.main, a.match, *a.scoring, a.endpoint_rules, share_.owned(), device_);
    else
      kernel_.emplace(make_kernel<Kernel>(a, device_));
  }
  void upload(const core::Stream& stream) {
    if (kernel_) kernel_->upload(stream);
  }
  void execute(KernelAnswer& answer, const core::Stream& stream) {
    if (kernel_) kernel_->run(stream);
    answer.set(share_.gather(kernel_ ? part_of(*kernel_) : share_.compute({.threads = 1})));
  }
  double exchange_seconds() const { return share_.exchange_seconds(); }

 private:
  RankShare share_;
  int device_;
  std::optional<Kernel> kernel_;
};

}  // namespace

std::vector<harness::Binding> multi_runs() { return {{"multi", make_kernel_run<RanksSolver>}}; }

}  // namespace speedwell::ssca1

// SSCA#1 on several GPUs for the harness: each rank computes its part with the library's class for the kernel.
#include <memory>
#include <optional>
#include <utility>

#include "speedwell/apps/ssca1/adapter.hpp"
#include "speedwell/apps/ssca1/adapter_ranks.hpp"
#include "speedwell/apps/ssca1/kernel1/kernel1_gpu_table.hpp"
#include "speedwell/apps/ssca1/kernel2_gpu_traces.hpp"
#include "speedwell/apps/ssca1/kernel3_gpu_similar.hpp"
#include "speedwell/apps/ssca1/kernel4_gpu_differences.hpp"
#include "speedwell/apps/ssca1/kernel5_gpu_stars.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::ssca1 {
namespace {

KernelResult part_of(const GpuTable& kernel) { return RankShare::candidates_result(kernel.candidates()); }
KernelResult part_of(const GpuTraces& kernel) { return kernel.traced(); }
KernelResult part_of(const GpuSimilar& kernel) { return kernel.regions(); }
KernelResult part_of(const GpuDifferences& kernel) { return kernel.differences(); }
KernelResult part_of(const GpuStars& kernel) { return kernel.stars(); }

/// The kernels wait for their results and do the rest on the host within run(), so that execute() does, and the first
/// rank has the whole result at its end.
template <class Kernel>
class RanksSolver {
 public:
  using Make = Kernel (*)(const RankShare&, int device);
  RanksSolver(const Ssca1Workload& workload, const harness::Context& context, Make make)
      : share_(*context.ranks, arguments_of(workload)), device_(context.device), make_(make) {}

  void allocate() {
    kernel_.reset();  // frees first
    if (!share_.is_empty()) kernel_.emplace(make_(share_, device_));
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
  Make make_;
  std::optional<Kernel> kernel_;
};

std::unique_ptr<harness::Run> make_run(std::shared_ptr<const harness::Workload> workload,
                                       const harness::Context& context) {
  const auto solver = [&]<class Kernel>(Kernel (*make)(const RankShare&, int)) {
    return harness::device_solver<Ssca1Workload, RanksSolver<Kernel>>(make)(workload, context);
  };
  switch (static_cast<const Ssca1Workload&>(*workload).kernel) {
    case 1:
      return solver(+[](const RankShare& share, int device) {
        const KernelArguments& a = share.own();
        return GpuTable(a.main, a.match, *a.scoring, a.endpoint_rules, share.owned(), device);
      });
    case 2:
      return solver(+[](const RankShare& share, int device) {
        const KernelArguments& a = share.own();
        return GpuTraces(a.main, a.match, *a.scoring, a.endpoints, a.trace_rules, device);
      });
    case 3:
      return solver(+[](const RankShare& share, int device) {
        const KernelArguments& a = share.own();
        return GpuSimilar(a.main, a.queries, *a.scoring, a.similar_rules, device);
      });
    case 4:
      return solver(+[](const RankShare& share, int device) {
        return GpuDifferences(share.own().sets, share.own().costs, device);
      });
    default:
      return solver(+[](const RankShare& share, int device) {
        return GpuStars(share.own().sets, share.own().differences, share.own().costs, device);
      });
  }
}

}  // namespace

std::vector<harness::Binding> multi_runs() { return {{"multi", make_run}}; }

}  // namespace speedwell::ssca1

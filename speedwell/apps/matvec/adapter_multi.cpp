// The variant `multi` of matvec for the harness: the first rank distributes the rows and collects the elements, and
// each rank multiplies its rows on its GPU with the kernel of the variant `cuda`.
#include <optional>

#include "speedwell/apps/matvec/adapter.hpp"
#include "speedwell/apps/matvec/adapter_workload.hpp"
#include "speedwell/apps/matvec/distributed.hpp"
#include "speedwell/apps/matvec/gpu_solver.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::matvec {
namespace {

template <class T>
class GpusSolver {
 public:
  GpusSolver(const Inputs<T>& inputs, const harness::Context& context)
      : inputs_(inputs), is_root_(context.ranks->rank() == 0), rows_(*context.ranks, inputs.rows(), inputs.columns()) {}

  void allocate() { solver_.emplace(rows_.rows(), inputs_.columns()); }
  void upload(const core::Stream& stream) {
    const Matrix<T> whole = inputs_.a();
    rows_.scatter(is_root_ ? &whole : nullptr, inputs_.b());
    solver_->upload(rows_.a(), rows_.b(), stream);
  }
  void poison(const core::Stream& stream) { harness::poison_async(solver_->device_result(), stream); }
  void execute(const core::Stream& stream) { solver_->run(stream); }
  void download(core::HostBuffer<T>& c, const core::Stream& stream) {
    solver_->download(rows_.c(), stream);
    rows_.gather(rows_.c(), c.span());
  }
  harness::Choices choices() const { return {{"host_memory", "pageable"}, {"kernel", describe(solver_->operands())}}; }

 private:
  const Inputs<T>& inputs_;
  bool is_root_;
  DistributedRows<T> rows_;
  std::optional<GpuSolver<T>> solver_;
};

}  // namespace

std::vector<harness::Binding> multi_runs() { return {{"multi", harness::device_solver<Inputs, GpusSolver>()}}; }

}  // namespace speedwell::matvec

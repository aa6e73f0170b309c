// two_stream on several GPUs for the harness.
#include <optional>

#include "speedwell/apps/two_stream/adapter.hpp"
#include "speedwell/apps/two_stream/adapter_columns.hpp"
#include "speedwell/apps/two_stream/gpu_solver.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::two_stream {
namespace {

template <class T>
class GpusSolver : public ColumnsOfRank<T> {
 public:
  using ColumnsOfRank<T>::ColumnsOfRank;

  void allocate() {
    this->allocate_results();
    const Problem own = this->own_problem();
    // Only the first rank knows which arrays there are. Its pointers say so; no other rank reads what they point to.
    Atmosphere<T> shape = this->ranks_.broadcast(this->is_root() ? this->inputs_.atmosphere() : Atmosphere<T>{});
    shape.columns = own.columns;
    solver_.emplace(shape, own.options, this->inputs_.is_column() ? Method::fused : Method::coefficients);
  }
  void upload(const core::Stream& stream) {
    this->scatter();
    solver_->upload(this->columns_.atmosphere(), stream);
  }
  void poison(const core::Stream& stream) { harness::poison_async(solver_->device_work(), stream); }
  void execute(const core::Stream& stream) { solver_->run(stream); }
  void download(Results<T>& results, const core::Stream& stream) {
    if (this->inputs_.is_column())
      solver_->download(this->own_.fluxes(), stream);
    else
      solver_->download(this->own_.layers(), stream);
    this->gather(results);
  }
  harness::Choices choices() const { return {{"host_memory", "pageable"}}; }

 private:
  std::optional<GpuSolver<T>> solver_;
};

}  // namespace

std::vector<harness::Binding> multi_runs() { return {{"multi", harness::device_solver<Inputs, GpusSolver>()}}; }

}  // namespace speedwell::two_stream

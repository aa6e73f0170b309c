// two_stream on several GPUs for the harness: the first rank distributes the atmosphere and collects the results.
#include <cstdint>
#include <optional>
#include <span>

#include "speedwell/apps/two_stream/adapter.hpp"
#include "speedwell/apps/two_stream/adapter_workload.hpp"
#include "speedwell/apps/two_stream/distributed.hpp"
#include "speedwell/apps/two_stream/gpu_solver.hpp"
#include "speedwell/harness/device_solver_run.hpp"

namespace speedwell::two_stream {
namespace {

template <class T>
class RanksSolver {
 public:
  RanksSolver(const Inputs<T>& inputs, const harness::Context& context)
      : inputs_(inputs), ranks_(*context.ranks), columns_(ranks_, inputs.problem()) {}

  void allocate() {
    Problem own = inputs_.problem();
    own.columns = columns_.columns();
    own_ = make_results<T>(own);
    // Only the first rank knows which arrays there are. Its pointers say so; no other rank reads what they point to.
    Atmosphere<T> shape = ranks_.broadcast(is_root() ? inputs_.atmosphere() : Atmosphere<T>{});
    shape.columns = own.columns;
    solver_.emplace(shape, own.options, inputs_.is_column() ? Method::fused : Method::coefficients);
  }
  void upload(const core::Stream& stream) {
    const Atmosphere<T> whole = is_root() ? inputs_.atmosphere() : Atmosphere<T>{};
    columns_.scatter(is_root() ? &whole : nullptr);
    solver_->upload(columns_.atmosphere(), stream);
  }
  void poison(const core::Stream& stream) {
    for (const std::span<T> array : solver_->device_work())
      core::check(cudaMemsetAsync(array.data(), 0xff, array.size_bytes(), stream.get()));
  }
  void execute(const core::Stream& stream) { solver_->run(stream); }
  void download(Results<T>& results, const core::Stream& stream) {
    if (inputs_.is_column())
      solver_->download(own_.fluxes(), stream);
    else
      solver_->download(own_.layers(), stream);
    for (std::size_t i = 0; i < own_.arrays.size(); ++i)
      columns_.gather(own_.arrays[i].span(), static_cast<std::int64_t>(own_.arrays[i].size()) / columns_.columns(),
                      is_root() ? results.arrays[i].data() : nullptr);
  }
  harness::Choices choices() const { return {{"host_memory", "pageable"}}; }

 private:
  bool is_root() const { return ranks_.rank() == 0; }

  const Inputs<T>& inputs_;
  const comm::Communicator& ranks_;
  DistributedColumns<T> columns_;
  Results<T> own_;
  std::optional<GpuSolver<T>> solver_;
};

}  // namespace

std::vector<harness::Binding> multi_runs() { return {{"multi", harness::device_solver<Inputs, RanksSolver>()}}; }

}  // namespace speedwell::two_stream

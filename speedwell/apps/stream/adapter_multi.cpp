// stream on several GPUs for the harness: each rank makes a part of the arrays and has it on its GPU; the first one
// collects the results to verify them.
#include <limits>
#include <span>

#include "speedwell/apps/stream/adapter.hpp"
#include "speedwell/apps/stream/adapter_parts.hpp"
#include "speedwell/apps/stream/gpu_solver.hpp"
#include "speedwell/comm/sums.hpp"
#include "speedwell/comm/timer.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::stream {
namespace {

template <class T>
class RanksSolver : public GpuSolver<T> {
 public:
  RanksSolver(const TypedWorkload<T>& workload, const harness::Context& context)
      : GpuSolver<T>(part_of_problem(workload.problem(), *context.ranks), launch<T>, Dispatch::graph),
        problem_(workload.problem()),
        ranks_(*context.ranks) {
    const comm::Range part = part_of_rank(problem_, ranks_, ranks_.rank());
    inputs_ = make_inputs<T>(problem_, part.begin, part.size());
  }

  void allocate(const core::Stream& stream) {
    own_ = make_part_of_results<T>(problem_, ranks_);
    GpuSolver<T>::allocate(stream);
  }
  void upload(const core::Stream& stream) { GpuSolver<T>::upload(inputs_, stream); }
  void poison(const core::Stream& stream) {
    GpuSolver<T>::poison(stream);
    sum_ = std::numeric_limits<double>::quiet_NaN();
  }
  void execute(const core::Stream& stream) {
    this->enqueue(stream);
    if (problem_.kernel != Kernel::dot) return;
    stream.synchronize();
    const comm::Timer timer(exchange_seconds_);
    sum_ = this->sum();
    comm::sum_in_order(ranks_, std::span<double>(&sum_, 1));
  }
  void download(Results<T>& results, const core::Stream& stream) {
    GpuSolver<T>::download(own_.out.span(), own_.a.span(), own_.b.span(), stream);
    results.sum = sum_;
    gather(problem_, ranks_, own_, results);
  }
  /// Includes waiting for ranks whose GPUs end later.
  double exchange_seconds() const { return exchange_seconds_; }
  harness::Choices choices() const { return {{"cache", this->streaming() ? "evict-first" : "keep"}}; }

 private:
  Problem problem_;
  const comm::Communicator& ranks_;
  Inputs<T> inputs_;
  Results<T> own_;
  double sum_ = 0, exchange_seconds_ = 0;
};

}  // namespace

std::vector<harness::Binding> multi_runs() { return {{"multi", harness::device_solver<TypedWorkload, RanksSolver>()}}; }

}  // namespace speedwell::stream

// stream on ranks for the harness: each rank makes, reads and writes a part of the arrays, on one core; the first one
// collects the results to verify them.
#include <limits>
#include <string>

#include "speedwell/apps/stream/adapter.hpp"
#include "speedwell/apps/stream/adapter_parts.hpp"
#include "speedwell/comm/sums.hpp"
#include "speedwell/core/streaming_wins.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::stream {
namespace {

template <class T>
class RanksSolver {
 public:
  RanksSolver(const TypedWorkload<T>& workload, const harness::Context& context)
      : problem_(workload.problem()), ranks_(*context.ranks), part_(part_of_rank(problem_, ranks_, ranks_.rank())) {
    inputs_ = make_inputs<T>(problem_, part_.begin, part_.size());
    // The arrays of all ranks of a host share its caches.
    const double bytes =
        static_cast<double>(problem_.n) * sizeof(T) * (problem_.reads_y() || workload.is_sequence() ? 3 : 2);
    options_ = {
        .threads = 1,
        .stores = core::streaming_wins(static_cast<std::int64_t>(bytes)) ? Stores::streaming : Stores::temporal};
  }

  void allocate() { own_ = make_part_of_results<T>(problem_, ranks_); }
  void reset() {
    if (problem_.kernel == Kernel::sequence) copy<T>(inputs_.x.span(), own_.a.span(), options_);
  }
  void poison() {
    for (core::HostBuffer<T>* array : {&own_.out, &own_.b}) harness::poison_host(array->span());
    own_.sum = std::numeric_limits<double>::quiet_NaN();
  }
  void execute(Results<T>&) {
    execute_kernel(problem_, inputs_, own_, options_);
    if (problem_.kernel == Kernel::dot) comm::sum_in_order(ranks_, std::span<double>(&own_.sum, 1));
  }
  void download(Results<T>& results) {
    results.sum = own_.sum;
    gather(problem_, ranks_, own_, results);
  }
  harness::Choices choices() const {
    return {harness::instruction_set(), {"stores", options_.stores == Stores::streaming ? "streaming" : "temporal"}};
  }

 private:
  Problem problem_;
  const comm::Communicator& ranks_;
  comm::Range part_;
  Inputs<T> inputs_;
  Results<T> own_;
  HostOptions options_;
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::host_solver<TypedWorkload, RanksSolver>()}}; }

}  // namespace speedwell::stream

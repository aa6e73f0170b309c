// matvec on ranks for the harness: the first rank distributes the rows and collects the elements.
#include <algorithm>
#include <limits>

#include "speedwell/apps/matvec/adapter.hpp"
#include "speedwell/apps/matvec/adapter_workload.hpp"
#include "speedwell/apps/matvec/distributed.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::matvec {
namespace {

template <class T>
class RanksSolver {
 public:
  RanksSolver(const Inputs<T>& inputs, const harness::Context& context)
      : inputs_(inputs), is_root_(context.ranks->rank() == 0), rows_(*context.ranks, inputs.rows(), inputs.columns()) {}

  void upload() {
    const Matrix<T> whole = inputs_.a();
    rows_.scatter(is_root_ ? &whole : nullptr, inputs_.b());
  }
  void poison() { std::ranges::fill(rows_.c(), std::numeric_limits<T>::quiet_NaN()); }
  void execute(core::HostBuffer<T>&) { multiply(rows_.a(), rows_.b(), rows_.c(), 1); }
  void download(core::HostBuffer<T>& c) { rows_.gather(rows_.c(), c.span()); }
  harness::Choices choices() const { return {harness::instruction_set()}; }

 private:
  const Inputs<T>& inputs_;
  bool is_root_;
  DistributedRows<T> rows_;
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::host_solver<Inputs, RanksSolver>()}}; }

}  // namespace speedwell::matvec

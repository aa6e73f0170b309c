// two_stream on ranks for the harness: the first rank distributes the atmosphere and collects the results.
#include <cstring>
#include <string>

#include "speedwell/apps/two_stream/adapter.hpp"
#include "speedwell/apps/two_stream/adapter_workload.hpp"
#include "speedwell/apps/two_stream/distributed.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/solver_run.hpp"

namespace speedwell::two_stream {
namespace {

template <class T>
class RanksSolver {
 public:
  RanksSolver(const Inputs<T>& inputs, const harness::Context& context)
      : inputs_(inputs),
        ranks_(*context.ranks),
        columns_(ranks_, inputs.problem()),
        options_(inputs.problem().options) {
    options_.threads = 1;
  }

  void allocate() {
    Problem own = inputs_.problem();
    own.columns = columns_.columns();
    own_ = make_results<T>(own);
  }
  void upload() {
    const Atmosphere<T> whole = ranks_.rank() == 0 ? inputs_.atmosphere() : Atmosphere<T>{};
    columns_.scatter(ranks_.rank() == 0 ? &whole : nullptr);
  }
  void execute(Results<T>&) {
    if (inputs_.is_column())
      solve_unchecked(columns_.atmosphere(), options_, own_.fluxes());
    else
      layer_coefficients(columns_.atmosphere(), options_, own_.layers());
  }
  void poison() {
    for (auto& array : own_.arrays) std::memset(array.data(), 0xFF, array.bytes());
  }
  void download(Results<T>& results) {
    const auto own_columns = static_cast<std::size_t>(columns_.columns());
    for (std::size_t i = 0; i < own_.arrays.size(); ++i)
      columns_.gather(own_.arrays[i].span(), static_cast<std::int64_t>(own_.arrays[i].size() / own_columns),
                      ranks_.rank() == 0 ? results.arrays[i].data() : nullptr);
  }
  harness::Choices choices() const { return {harness::instruction_set()}; }

 private:
  const Inputs<T>& inputs_;
  const comm::Communicator& ranks_;
  DistributedColumns<T> columns_;
  Options options_;
  Results<T> own_;
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::host_solver<Inputs, RanksSolver>()}}; }

}  // namespace speedwell::two_stream

// two_stream on ranks for the harness.
#include "speedwell/apps/two_stream/adapter.hpp"
#include "speedwell/apps/two_stream/adapter_columns.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::two_stream {
namespace {

template <class T>
class RanksSolver : public ColumnsOfRank<T> {
 public:
  RanksSolver(const Inputs<T>& inputs, const harness::Context& context)
      : ColumnsOfRank<T>(inputs, context), options_(inputs.problem().options) {
    options_.threads = 1;
  }

  void allocate() { this->allocate_results(); }
  void upload() { this->scatter(); }
  void execute(Results<T>&) {
    if (this->inputs_.is_column())
      solve_unchecked(this->columns_.atmosphere(), options_, this->own_.fluxes());
    else
      layer_coefficients(this->columns_.atmosphere(), options_, this->own_.layers());
  }
  void poison() {
    for (auto& array : this->own_.arrays) harness::poison_host(array.span());
  }
  void download(Results<T>& results) { this->gather(results); }
  harness::Choices choices() const { return {harness::instruction_set()}; }

 private:
  Options options_;
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::host_solver<Inputs, RanksSolver>()}}; }

}  // namespace speedwell::two_stream

// vector_calculus on ranks for the harness: the first rank distributes the fields and collects the result.
#include <cstring>
#include <string>

#include "speedwell/apps/vector_calculus/adapter.hpp"
#include "speedwell/apps/vector_calculus/adapter_workload.hpp"
#include "speedwell/apps/vector_calculus/operations/operand_fields.hpp"
#include "speedwell/apps/vector_calculus/ranks/distributed_cpu.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::vector_calculus {
namespace {

template <class T>
class RanksSolver {
 public:
  RanksSolver(const Inputs<T>& inputs, const harness::Context& context)
      : inputs_(inputs), grid_(*context.ranks, problem().grid, info(problem().operation).reach) {}

  void allocate() {
    const OperationInfo& operation = info(problem().operation);
    const auto array = [&](int components) {
      return core::HostBuffer<T>(static_cast<std::size_t>(components * grid_.local().size()), core::Pages::large);
    };
    for (int field = 0; field < operation.scalars; ++field) fields_[field] = array(1);
    for (int field = 0; field < operation.vectors; ++field) fields_[num_scalars + field] = array(3);
    out_ = array(operation.components);
  }
  void upload() {
    const auto from = fields_of(inputs_.operands());
    for (int field = 0; field < num_fields; ++field) {
      if (fields_[field].size() == 0) continue;  // the operation does not read it
      // Allocates the pages, those of the halos included, which are filled before they are read.
      std::memset(fields_[field].data(), 0, fields_[field].bytes());
      if (field < num_scalars)
        grid_.scatter(from[field], TileField<T>{fields_[field].data(), 1});
      else
        grid_.scatter_vector(problem().layout, from[field], fields_[field].data());
    }
  }
  void execute(Result<T>&) {
    apply(grid_, problem().operation, problem().layout, with_fields(inputs_.operands(), fields_), out_.data());
  }
  void poison() { harness::poison_host(out_.span()); }
  void download(Result<T>& result) {
    T* const whole = grid_.ranks().rank() == 0 ? result.words.data() : nullptr;
    if (info(problem().operation).components == 1)
      grid_.gather(TileField<const T>{out_.data(), 1}, whole);
    else
      grid_.gather_vector<T>(problem().layout, out_.data(), whole);
  }
  double exchange_seconds() const { return grid_.exchange_seconds(); }
  harness::Choices choices(const Result<T>& result) const {
    return harness::joined(result.choices(), {harness::instruction_set(), {"division", grid_.division_text()}});
  }

 private:
  const Problem& problem() const { return inputs_.problem(); }

  static constexpr int num_scalars = 2, num_fields = 6;  // scalar fields f and g, vector fields a to d

  const Inputs<T>& inputs_;
  DistributedGrid grid_;
  core::HostBuffer<T> fields_[num_fields], out_;  // the tile of this rank, in the order of fields_of()
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::host_solver<TypedWorkload, RanksSolver>()}}; }

}  // namespace speedwell::vector_calculus

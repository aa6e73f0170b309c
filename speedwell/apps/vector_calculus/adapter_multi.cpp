// vector_calculus on several GPUs for the harness: the first rank distributes the fields and collects the result.
#include <string>

#include "speedwell/apps/vector_calculus/adapter.hpp"
#include "speedwell/apps/vector_calculus/adapter_workload.hpp"
#include "speedwell/apps/vector_calculus/gpu/operations.hpp"
#include "speedwell/apps/vector_calculus/operations/operand_fields.hpp"
#include "speedwell/comm/gpu/transport.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::vector_calculus {
namespace {

template <class T>
class SlabSolver {
 public:
  SlabSolver(const Inputs<T>& inputs, const harness::Context& context, HaloUpdate update)
      : inputs_(inputs),
        update_(update),
        grid_(*context.ranks, problem().grid, comm::fastest_transport(*context.ranks), operation().reach) {}

  void allocate(const core::Stream& stream) {
    const auto array = [&](int words) {
      core::DeviceBuffer<T> all(static_cast<std::size_t>(words * grid_.local().size()));
      core::fill_bytes_async(all, 0, stream);
      return all;
    };
    for (int field = 0; field < operation().scalars; ++field) fields_[field] = array(1);
    for (int field = 0; field < operation().vectors; ++field) fields_[2 + field] = array(3);
    out_ = array(operation().components);
    stream.synchronize();
    gpu_prepare(grid_, operation().operation, problem().layout, operands());
  }
  void upload(const core::Stream& stream) {
    const auto from = fields_of(inputs_.operands());
    for (int field = 0; field < 6; ++field) {
      if (fields_[field].size() == 0) continue;
      if (field < 2)
        grid_.scatter(from[field], TileField<T>{fields_[field].data(), 1}, stream);
      else
        grid_.scatter_vector(problem().layout, from[field], fields_[field].data(), stream);
    }
  }
  void poison(const core::Stream& stream) { core::fill_bytes_async(out_, 0xff, stream); }
  void execute(const core::Stream& stream) {
    gpu_apply(grid_, operation().operation, problem().layout, operands(), out_.data(), stream, update_);
  }
  void download(Result<T>& result, const core::Stream& stream) {
    grid_.check(stream);
    T* const whole = grid_.ranks().rank() == 0 ? result.words.data() : nullptr;
    if (operation().components == 1)
      grid_.gather(TileField<const T>{out_.data(), 1}, whole, stream);
    else
      grid_.template gather_vector<T>(problem().layout, out_.data(), whole, stream);
  }
  double exchange_seconds() const { return grid_.exchange_seconds(); }
  harness::Choices choices(const Result<T>& result) const {
    harness::Choices all = result.choices();
    if (operation().reach > 0) all.emplace_back("transport", std::string(to_string(grid_.transport())));
    all.emplace_back("division", grid_.host().division_text());
    return all;
  }

 private:
  const Problem& problem() const { return inputs_.problem(); }
  const OperationInfo& operation() const { return info(problem().operation); }
  /// In device memory, but for the numbers.
  Operands<T> operands() const { return with_fields(inputs_.operands(), fields_); }

  const Inputs<T>& inputs_;
  HaloUpdate update_;
  DistributedGpuGrid grid_;
  core::DeviceBuffer<T> fields_[6], out_;  // f, g, a, b, c, d
};

}  // namespace

std::vector<harness::Binding> multi_runs() {
  return {{"multi-exchange", harness::device_solver<TypedWorkload, SlabSolver>(HaloUpdate::before)},
          {"multi", harness::device_solver<TypedWorkload, SlabSolver>(HaloUpdate::overlapped)}};
}

}  // namespace speedwell::vector_calculus

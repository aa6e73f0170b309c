// The sweep on ranks for the harness: the first rank gives the grid away, and gathers what has become of it.
#include "speedwell/apps/wavefront/adapter_mpi.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "speedwell/apps/wavefront/adapter_case.hpp"
#include "speedwell/apps/wavefront/distributed.hpp"
#include "speedwell/core/isa.hpp"

namespace speedwell::wavefront {
namespace {

template <class T>
class RanksRun final : public harness::Run {
 public:
  RanksRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context& context)
      : inputs_(std::move(inputs)), ranks_(*context.ranks) {}

  void allocate() override {
    sweep_ =
        std::make_unique<DistributedSweep<T>>(ranks_, inputs_->extents(), inputs_->recurrence(), inputs_->direction());
    before_ = core::HostBuffer<T>(block().size());
    if (first()) gathered_ = std::make_unique<Grid<T>>(inputs_->extents());
  }
  void upload() override {
    sweep_->scatter(first() ? &inputs_->grid() : nullptr);
    std::memcpy(before_.data(), block().data(), block().bytes());
  }
  void reset() override { std::memcpy(block().data(), before_.data(), block().bytes()); }
  void poison() override {
    if (first()) std::memset(gathered_->cells.data(), 0xff, gathered_->cells.bytes());
  }
  void execute() override { sweep_->sweep(); }
  void download() override { sweep_->gather(gathered_.get()); }

  core::Verdict verify() override { return inputs_->judge(std::as_const(gathered_->cells).span()); }
  std::vector<harness::Output> outputs() override {
    return {{"u", harness::element_type<T>, gathered_->cells.data(), gathered_->cells.size()}};
  }
  std::vector<std::pair<std::string, std::string>> choices() override {
    const comm::Cartesian2d& division = sweep_->division();
    const Pipeline& pipeline = sweep_->pipeline();
    return {{"division", std::to_string(division.px()) + " x " + std::to_string(division.py())},
            {"piece", pipeline.row_chunk > 0 ? std::to_string(pipeline.row_chunk) + " steps of a vector's rows"
                                             : std::to_string(pipeline.z_chunk) + " cells of each row"},
            {"instruction_set", std::string(core::to_string(core::best_isa()))}};
  }

 private:
  bool first() const { return ranks_.rank() == 0; }
  core::HostBuffer<T>& block() { return sweep_->block().cells; }

  std::shared_ptr<const Inputs<T>> inputs_;
  const comm::Communicator& ranks_;
  std::unique_ptr<DistributedSweep<T>> sweep_;
  core::HostBuffer<T> before_;         // this rank's block as it begins
  std::unique_ptr<Grid<T>> gathered_;  // the whole, on the first rank
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", make_in_precision<RanksRun>()}}; }

}  // namespace speedwell::wavefront

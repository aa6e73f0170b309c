// The table on ranks for the harness: every rank begins with its block, and the first one gathers them.
#include "speedwell/apps/gups/adapter_mpi.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "speedwell/apps/gups/adapter_case.hpp"
#include "speedwell/apps/gups/distributed.hpp"

namespace speedwell::gups {
namespace {

class RanksRun final : public harness::Run {
 public:
  RanksRun(std::shared_ptr<const GupsCase> prepared, const harness::Context& context)
      : case_(std::move(prepared)), ranks_(*context.ranks) {}

  void allocate() override {
    table_ = std::make_unique<DistributedTable>(ranks_, case_->problem(), case_->rule());
    if (ranks_.rank() == 0) gathered_ = core::HostBuffer<std::uint64_t>(case_->problem().words);
  }
  void reset() override { table_->initialise(); }
  void poison() override {
    if (ranks_.rank() == 0) std::memset(gathered_.data(), 0xff, gathered_.bytes());
  }
  void execute() override { table_->update(); }
  void download() override { table_->gather(gathered_.span()); }
  core::Verdict verify() override { return case_->judge(std::as_const(gathered_).span()); }
  std::vector<harness::Output> outputs() override { return output_of(gathered_); }
  std::vector<std::pair<std::string, std::string>> choices() override {
    const std::int64_t capacity = table_->capacity();
    return {look_ahead(static_cast<std::uint64_t>(capacity * (2 * ranks_.size() - 1)), 1),
            {"bucket", std::to_string(capacity) + " updates"},
            {"rounds", std::to_string(table_->rounds())}};
  }

 private:
  std::shared_ptr<const GupsCase> case_;
  const comm::Communicator& ranks_;
  std::unique_ptr<DistributedTable> table_;
  core::HostBuffer<std::uint64_t> gathered_;  // on the first rank
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::make_run<GupsCase, RanksRun>()}}; }

}  // namespace speedwell::gups

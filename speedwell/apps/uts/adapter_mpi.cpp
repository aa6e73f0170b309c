// The search on ranks for the harness: every rank has the counts in the end.
#include "speedwell/apps/uts/adapter_mpi.hpp"

#include <memory>
#include <string>
#include <utility>

#include "speedwell/apps/uts/adapter_case.hpp"
#include "speedwell/apps/uts/distributed.hpp"
#include "speedwell/apps/uts/hashing.hpp"

namespace speedwell::uts {
namespace {

class RanksRun final : public harness::Run {
 public:
  RanksRun(std::shared_ptr<const UtsCase> prepared, const harness::Context& context)
      : case_(std::move(prepared)), ranks_(*context.ranks) {}

  void poison() override { counts_.poison(); }
  void execute() override { counts_.set(search_on_ranks(ranks_, case_->tree())); }
  core::Verdict verify() override { return case_->judge(counts_.get()); }
  std::vector<harness::Output> outputs() override { return counts_.outputs(); }
  std::vector<std::pair<std::string, std::string>> choices() override {
    return {{"hash", std::string(hashers().front().name)}};
  }

 private:
  std::shared_ptr<const UtsCase> case_;
  const comm::Communicator& ranks_;
  CountsOutput counts_;
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::make_run<UtsCase, RanksRun>()}}; }

}  // namespace speedwell::uts

// The table on several GPUs for the harness: each holds some parts of it, and the first rank collects them.
#include <cstdint>
#include <optional>
#include <span>

#include "speedwell/apps/gups/adapter.hpp"
#include "speedwell/apps/gups/adapter_choices.hpp"
#include "speedwell/apps/gups/adapter_workload.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::gups {
namespace {

class GpusUpdates : public harness::OnRanks<GupsWorkload> {
 public:
  using OnRanks::OnRanks;

  void allocate() {
    const Parts own = parts_of(ranks_.rank());
    if (own.count > 0) solver_.emplace(workload_.problem(), own, workload_.rule());
    if (ranks_.rank() > 0) own_ = core::HostBuffer<std::uint64_t>(words_of(ranks_.rank()), core::Pages::large);
  }
  void upload(const core::Stream& stream) {
    if (solver_) solver_->upload(stream);
  }
  void reset(const core::Stream& stream) {
    if (solver_) solver_->initialise(stream);
  }
  void execute(const core::Stream& stream) {
    if (solver_) solver_->run(stream);
  }
  void download(GupsWorkload::Answer& table, const core::Stream& stream) {
    const std::span<std::uint64_t> own = is_root() ? table.span().first(words_of(0)) : own_.span();
    if (solver_) solver_->download(own, stream);
    if (!is_root()) {
      if (!own.empty()) ranks_.send(std::span<const std::uint64_t>(own), 0);
      return;
    }
    std::uint64_t first = words_of(0);
    for (int rank = 1; rank < ranks_.size(); ++rank) {
      const std::uint64_t words = words_of(rank);
      if (words > 0) ranks_.receive(table.span().subspan(first, words), rank);
      first += words;
    }
  }
  harness::Choices choices() const { return solver_ ? choices_of(*solver_) : harness::Choices{}; }

 private:
  Parts parts_of(int rank) const { return parts_of_rank(workload_.problem(), ranks_.size(), rank); }
  std::uint64_t words_of(int rank) const {
    const Parts parts = parts_of(rank);
    return parts.count * (workload_.problem().words >> parts.log2_parts);
  }

  std::optional<GpuSolver> solver_;
  core::HostBuffer<std::uint64_t> own_;
};

}  // namespace

std::vector<harness::Binding> multi_runs() { return {{"multi", harness::device_solver<GupsWorkload, GpusUpdates>()}}; }

}  // namespace speedwell::gups

#include <cstddef>
#include <span>
#include <vector>

#include "speedwell/apps/npb/ep/gpu_distributed.hpp"
#include "speedwell/comm/parts.hpp"
#include "speedwell/comm/timer.hpp"

namespace speedwell::npb::ep {
namespace {

GpuSolver part_of(const comm::Communicator& ranks, const Problem& problem) {
  require_valid(problem);
  const comm::Range own = comm::part_of(pairs(problem), ranks.size(), ranks.rank());
  return {problem, own.begin, own.size()};
}

}  // namespace

DistributedGpuSolver::DistributedGpuSolver(const comm::Communicator& ranks, const Problem& problem)
    : ranks_(ranks), own_(part_of(ranks, problem)) {}

Result DistributedGpuSolver::tally(const core::Stream& stream) {
  own_.run(stream);
  stream.synchronize();
  const comm::Timer timer(exchange_seconds_);
  const Result own = own_.result();
  std::vector<Result> all(static_cast<std::size_t>(ranks_.size()));
  ranks_.gather(std::span<const Result>(&own, 1), std::span<Result>(all));
  Result sum = all[0];
  for (std::size_t r = 1; r < all.size(); ++r) {
    sum.sum_x += all[r].sum_x;
    sum.sum_y += all[r].sum_y;
    for (std::size_t l = 0; l < annuli; ++l) sum.counts[l] += all[r].counts[l];
  }
  return sum;
}

}  // namespace speedwell::npb::ep

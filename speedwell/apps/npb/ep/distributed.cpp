#include "speedwell/apps/npb/ep/distributed.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "speedwell/apps/npb/ep/blocks.hpp"
#include "speedwell/comm/parts.hpp"

namespace speedwell::npb::ep {

Result tally(const comm::Communicator& ranks, const Problem& problem, const Options& options) {
  require_valid(problem);
  const std::int64_t blocks = block_count(problem);
  const auto part = [&](int rank) { return comm::part_of(blocks, ranks.size(), rank); };
  // The first rank has as many blocks as any: all send so many, and what is beyond their part is not read.
  const auto longest = static_cast<std::size_t>(part(0).size());
  std::vector<PartialResult> mine(longest, PartialResult{}), gathered(longest * static_cast<std::size_t>(ranks.size()));
  const comm::Range own = part(ranks.rank());
  compute_blocks(problem, options, own.begin, std::span(mine).first(static_cast<std::size_t>(own.size())));
  ranks.gather(std::span<const PartialResult>(mine), std::span<PartialResult>(gathered));
  std::vector<PartialResult> all;
  for (int r = 0; r < ranks.size(); ++r) {
    const auto first = gathered.begin() + static_cast<std::ptrdiff_t>(longest) * r;
    all.insert(all.end(), first, first + part(r).size());
  }
  return sum_of(all);
}

}  // namespace speedwell::npb::ep

// EP in blocks of pairs, whose sums are added in the order of the blocks: the result does not depend on which thread or
// rank computes a block. Not installed.
#pragma once

#include <cstdint>
#include <span>

#include "speedwell/apps/npb/ep/block_kernel.hpp"
#include "speedwell/apps/npb/ep/ep.hpp"

namespace speedwell::npb::ep {

/// At most 4096.
std::int64_t block_count(const Problem& problem);
/// Computes blocks [first, first + partials.size()).
void compute_blocks(const Problem& problem, const Options& options, std::int64_t first,
                    std::span<PartialResult> partials);
/// The sum of all blocks.
Result sum_of(std::span<const PartialResult> partials);

}  // namespace speedwell::npb::ep

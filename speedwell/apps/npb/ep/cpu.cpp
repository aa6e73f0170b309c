// EP with OpenMP: fixed blocks of pairs, whose sums are added in order, so that the result is bitwise independent of
// the number of threads.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/npb/ep/block_kernel.hpp"
#include "speedwell/apps/npb/ep/blocks.hpp"
#include "speedwell/apps/npb/ep/ep.hpp"
#include "speedwell/apps/npb/random.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/core/simd/isa_choice.hpp"

namespace speedwell::npb::ep {

SPEEDWELL_IN_EACH_ISA(BlockKernel block; FactorKernel factors; int streams();)

Kernels kernels_of(core::Isa isa) {
  core::require_available(isa);
  return {SPEEDWELL_OF_ISA(isa, block), SPEEDWELL_OF_ISA(isa, factors), SPEEDWELL_OF_ISA(isa, streams())};
}

namespace {

// The segments of (11/16, 11/8]: ten of width 1/32 up to 1, six of width 1/16 above. c is the middle, except for c = 1
// in the segment that ends on 1; its logarithm is a tiny positive number instead of 0, so that s = 1 does not lead to
// 0/0.
LogTable make_log_table() {
  LogTable table;
  for (int i = 0; i < 16; ++i) {
    const double c = i == 9 ? 1.0 : i < 10 ? (44 + 2 * i + 1) / 64.0 : (32 + 2 * (i - 10) + 1) / 32.0;
    table.inverse[i] = 1 / c;
    table.logarithm[i] = i == 9 ? 0x1p-100 : 2 * std::log(table.inverse[i]);
  }
  return table;
}

// Pairs of a block: enough to hide the cost of the jumps to its streams, and at most 4096 blocks.
std::int64_t block_pairs(const Problem& problem) {
  return std::min(pairs(problem), std::max(std::int64_t{1} << 16, pairs(problem) >> 12));
}

void run_block(std::int64_t index, std::int64_t length, const Kernels& kernels, PartialResult& partial) {
  const std::int64_t each = length / kernels.streams;
  std::uint64_t states[max_streams];
  Random random(seed);
  random.skip(static_cast<std::uint64_t>(2 * index * length));
  for (int stream = 0; stream < kernels.streams; ++stream) {
    states[stream] = random.state();
    random.skip(static_cast<std::uint64_t>(2 * each));
  }
  kernels.block(states, each, log_table(), partial);
}

}  // namespace

const LogTable& log_table() {
  static const LogTable table = make_log_table();
  return table;
}

std::int64_t block_count(const Problem& problem) { return pairs(problem) / block_pairs(problem); }

void compute_blocks(const Problem& problem, const Options& options, std::int64_t first,
                    std::span<PartialResult> partials) {
  const Kernels kernels = kernels_of(options.isa);
  const std::int64_t length = block_pairs(problem);
  const auto blocks = static_cast<std::int64_t>(partials.size());
  const int threads = static_cast<int>(std::clamp<std::int64_t>(blocks, 1, core::resolve_threads(options.threads)));
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::int64_t b = 0; b < blocks; ++b)
    run_block(first + b, length, kernels, partials[static_cast<std::size_t>(b)]);
}

Result sum_of(std::span<const PartialResult> partials) {
  Result result;
  for (const PartialResult& t : partials) {
    result.sum_x += t.sum_x;
    result.sum_y += t.sum_y;
    for (std::size_t l = 0; l < annuli; ++l) result.counts[l] += t.counts[l];
  }
  return result;
}

Result tally(const Problem& problem, const Options& options) {
  require_valid(problem);
  std::vector<PartialResult> partials(static_cast<std::size_t>(block_count(problem)));
  compute_blocks(problem, options, 0, partials);
  return sum_of(partials);
}

}  // namespace speedwell::npb::ep

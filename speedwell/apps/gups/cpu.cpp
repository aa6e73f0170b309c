// The direct methods on the host: every update accesses memory individually.
#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "speedwell/apps/gups/contract.hpp"
#include "speedwell/apps/gups/stream.hpp"

namespace speedwell::gups {
namespace {

constexpr std::uint64_t report_interval = 1 << 22;  // updates between two progress reports

void report(ProgressCounter* progress, std::uint64_t updates) {
  if (progress) progress->fetch_add(updates, std::memory_order_relaxed);
}

// Applies updates first + 1 ... last. A batch is generated and its words are prefetched, then it is applied.
void apply_range(std::uint64_t* table, std::uint64_t mask, std::uint64_t first, std::uint64_t last, int batch) {
  std::uint64_t batch_updates[max_look_ahead];
  std::uint64_t x = word(first);
  for (std::uint64_t n = first; n < last;) {
    const int count = static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(batch), last - n));
    for (int i = 0; i < count; ++i) {
      batch_updates[i] = x = next(x);
      __builtin_prefetch(&table[x & mask], 1);
    }
    for (int i = 0; i < count; ++i)
      std::atomic_ref(table[batch_updates[i] & mask]).fetch_xor(batch_updates[i], std::memory_order_relaxed);
    n += static_cast<std::uint64_t>(count);
  }
}

}  // namespace

void initialise(std::span<std::uint64_t> table, int threads) {
  require_threads(threads);
  const auto words = static_cast<std::int64_t>(table.size());
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t i = 0; i < words; ++i) table[i] = static_cast<std::uint64_t>(i);
}

void update_serially(const Problem& problem, std::span<std::uint64_t> table, ProgressCounter* progress) {
  require_table(problem, table);
  const std::uint64_t mask = problem.words - 1;
  std::uint64_t x = 1;
  for (std::uint64_t first = 0; first < problem.updates; first += report_interval) {
    const std::uint64_t last = std::min(problem.updates, first + report_interval);
    for (std::uint64_t n = first; n < last; ++n) {
      x = next(x);
      table[x & mask] ^= x;
    }
    report(progress, last - first);
  }
}

int look_ahead_per_thread(int threads, Rule rule) {
  require_threads(threads);
  constexpr int useful = 256;  // with more, prefetched words evict each other from the first-level cache
  if (rule != Rule::process) return useful;
  if (threads > max_look_ahead)
    throw std::invalid_argument("gups: " + std::to_string(threads) + " threads would together look ahead more than " +
                                std::to_string(max_look_ahead) + " updates");
  return std::min(static_cast<int>(max_look_ahead) / threads, useful);
}

void update_atomically(const Problem& problem, std::span<std::uint64_t> table, int threads, Rule rule,
                       ProgressCounter* progress) {
  require_table(problem, table);
  const int ahead = look_ahead_per_thread(threads, rule);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int t = 0; t < threads; ++t) {
    const StreamRange part = stream_range(problem.updates, threads, t);
    for (std::uint64_t first = part.first; first < part.last; first += report_interval) {
      const std::uint64_t last = std::min(part.last, first + report_interval);
      apply_range(table.data(), problem.words - 1, first, last, ahead);
      report(progress, last - first);
    }
  }
}

}  // namespace speedwell::gups

// The direct forms on the host: every update goes to memory by itself.
#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "speedwell/apps/gups/contract.hpp"
#include "speedwell/apps/gups/stream.hpp"

namespace speedwell::gups {
namespace {

constexpr std::uint64_t between_reports = 1 << 22;  // updates

void report(SoFar* so_far, std::uint64_t updates) {
  if (so_far) so_far->fetch_add(updates, std::memory_order_relaxed);
}

// Updates first + 1 ... last. A batch is made and its words asked for, then it is applied.
void apply_part(std::uint64_t* table, std::uint64_t mask, std::uint64_t first, std::uint64_t last, int batch) {
  std::uint64_t waiting[most_ahead];
  std::uint64_t x = word(first);
  for (std::uint64_t n = first; n < last;) {
    const int count = static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(batch), last - n));
    for (int i = 0; i < count; ++i) {
      waiting[i] = x = next(x);
      __builtin_prefetch(&table[x & mask], 1);
    }
    for (int i = 0; i < count; ++i)
      std::atomic_ref(table[waiting[i] & mask]).fetch_xor(waiting[i], std::memory_order_relaxed);
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

void update_serially(const Problem& problem, std::span<std::uint64_t> table, SoFar* so_far) {
  require_table(problem, table);
  const std::uint64_t mask = problem.words - 1;
  std::uint64_t x = 1;
  for (std::uint64_t first = 0; first < problem.updates; first += between_reports) {
    const std::uint64_t last = std::min(problem.updates, first + between_reports);
    for (std::uint64_t n = first; n < last; ++n) {
      x = next(x);
      table[x & mask] ^= x;
    }
    report(so_far, last - first);
  }
}

int ahead_of_thread(int threads, Rule rule) {
  require_threads(threads);
  constexpr int useful = 256;  // beyond, the words asked for push each other out of the first-level cache
  if (rule != Rule::process) return useful;
  if (threads > most_ahead)
    throw std::invalid_argument("gups: " + std::to_string(threads) + " threads look ahead at more than " +
                                std::to_string(most_ahead) + " updates together");
  return std::min(static_cast<int>(most_ahead) / threads, useful);
}

void update_atomically(const Problem& problem, std::span<std::uint64_t> table, int threads, Rule rule, SoFar* so_far) {
  require_table(problem, table);
  const int ahead = ahead_of_thread(threads, rule);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int t = 0; t < threads; ++t) {
    const Part part = part_of(problem.updates, threads, t);
    for (std::uint64_t first = part.first; first < part.last; first += between_reports) {
      const std::uint64_t last = std::min(part.last, first + between_reports);
      apply_part(table.data(), problem.words - 1, first, last, ahead);
      report(so_far, last - first);
    }
  }
}

}  // namespace speedwell::gups

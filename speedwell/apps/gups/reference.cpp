// Every thread generates the whole stream, step by step from x_0 = 1, and updates the words of its own part of the
// table: no jumps, no atomic operations, no exchange, and no code shared with a variant.
#include "speedwell/apps/gups/reference.hpp"

namespace speedwell::gups::reference {
namespace {

std::uint64_t step(std::uint64_t x) {
  const bool carries = (x & 0x8000000000000000ull) != 0;
  x = x * 2;
  if (carries) x = x ^ 7ull;
  return x;
}

// Applies the updates of words begin ... end - 1. Some are collected first, so that several memory accesses overlap.
void replay_part(std::uint64_t* table, std::uint64_t mask, std::uint64_t updates, std::uint64_t begin,
                 std::uint64_t end) {
  constexpr int max_waiting = 64;
  std::uint64_t waiting[max_waiting];
  int count = 0;
  std::uint64_t x = 1;
  for (std::uint64_t n = 1; n <= updates; ++n) {
    x = step(x);
    const std::uint64_t index = x & mask;
    if (index < begin || index >= end) continue;
    __builtin_prefetch(&table[index], 1);
    waiting[count++] = x;
    if (count < max_waiting) continue;
    for (int i = 0; i < count; ++i) table[waiting[i] & mask] ^= waiting[i];
    count = 0;
  }
  for (int i = 0; i < count; ++i) table[waiting[i] & mask] ^= waiting[i];
}

}  // namespace

std::vector<std::uint64_t> stream(std::uint64_t n) {
  std::vector<std::uint64_t> words = {1};
  while (words.size() <= n) words.push_back(step(words.back()));
  return words;
}

void replay(std::span<std::uint64_t> table, std::uint64_t updates, int threads) {
  const std::uint64_t words = table.size(), mask = words - 1;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int t = 0; t < threads; ++t) {
    const std::uint64_t parts = static_cast<std::uint64_t>(threads), part = static_cast<std::uint64_t>(t);
    replay_part(table.data(), mask, updates, words / parts * part,
                part + 1 == parts ? words : words / parts * (part + 1));
  }
}

}  // namespace speedwell::gups::reference

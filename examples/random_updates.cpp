// Updates of words of a table at random places on all cores, and their rate; then the same again, one by one: x ^ y ^ y
// is x, so that a table that is as it was at first has lost no update.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "speedwell/apps/gups/gups.hpp"

int main() {
  using namespace speedwell::gups;
  const std::uint64_t words = 1 << 20;
  const Problem problem = {.words = words, .updates = 4 * words};
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::uint64_t> table(words);
  initialise(table, threads);

  RegionUpdates updates(problem, threads);
  const auto begin = std::chrono::steady_clock::now();
  updates.update(table);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("%.4f GUPS; the first word is %016llx\n", 1e-9 * static_cast<double>(problem.updates) / seconds.count(),
              static_cast<unsigned long long>(table[0]));

  update_serially(problem, table);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < words; ++i) wrong += table[i] != i;
  std::printf("%llu of %llu words wrong\n", static_cast<unsigned long long>(wrong),
              static_cast<unsigned long long>(words));
  return wrong == 0 ? 0 : 1;
}

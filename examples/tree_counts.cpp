// Counts a tree of one's own on all cores, with a line now and then: each node has three children with a probability of
// 0.33, and none otherwise.
#include <chrono>
#include <cstdio>
#include <future>

#include "speedwell/apps/uts/uts.hpp"

int main() {
  using namespace speedwell::uts;
  const Tree tree = {.kind = Kind::binomial, .b0 = 20000, .q = 0.33, .m = 3, .seed = 2026};
  ProgressCounter progress{0};
  auto search = std::async(std::launch::async, [&] { return search_in_threads(tree, 0, &progress); });
  while (search.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready)
    std::printf("%.1f million nodes so far\n", 1e-6 * static_cast<double>(progress.load()));
  const Counts counts = search.get();
  std::printf("%.0f nodes, %.0f leaves, %.0f levels below the root\n", static_cast<double>(counts.nodes),
              static_cast<double>(counts.leaves), static_cast<double>(counts.depth));
  // Every node with children has three, but for the root: leaves follow from nodes.
  return counts.leaves == counts.nodes - (counts.nodes - 1 - 20000) / 3 - 1 ? 0 : 1;
}

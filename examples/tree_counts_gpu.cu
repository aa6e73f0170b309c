// examples/tree_counts.cpp on a GPU: counts a binomial tree, and compares the counts with those of a search on all
// cores.
#include <cstdio>

#include "speedwell/apps/uts/gpu_solver.hpp"
#include "speedwell/apps/uts/uts.hpp"

int main() {
  using namespace speedwell::uts;
  if (!speedwell::core::have_device()) {
    std::printf("no GPU\n");
    return 77;
  }
  const Tree tree = {.kind = Kind::binomial, .b0 = 20000, .q = 0.33, .m = 3, .seed = 2026};
  const speedwell::core::Stream stream;
  GpuSolver solver(tree);
  solver.upload(stream);
  const Counts counts = solver.run(stream);
  const bool same = counts == search_in_threads(tree, 0);
  std::printf("%.0f nodes, %.0f leaves, %.0f levels below the root, %s\n", static_cast<double>(counts.nodes),
              static_cast<double>(counts.leaves), static_cast<double>(counts.depth),
              same ? "as on the host" : "not as on the host");
  return same ? 0 : 1;
}

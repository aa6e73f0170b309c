// examples/random_updates.cpp on a GPU: random updates of a table in device memory, compared word by word with the same
// updates made one by one on the host.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "speedwell/apps/gups/gpu_solver.hpp"

int main() {
  using namespace speedwell::gups;
  if (!speedwell::core::have_device()) {
    std::printf("no GPU\n");
    return 77;
  }
  const std::uint64_t words = 1 << 20;
  const Problem problem = {.words = words, .updates = 4 * words};
  const speedwell::core::Stream stream;
  GpuSolver solver(problem);
  solver.upload(stream);
  solver.initialise(stream);
  solver.run(stream);
  std::vector<std::uint64_t> table(words), expected(words);
  solver.download(table, stream);

  initialise(expected, 1);
  update_serially(problem, expected);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < words; ++i) wrong += table[i] != expected[i];
  std::printf("%llu of %llu words differ from the host's\n", static_cast<unsigned long long>(wrong),
              static_cast<unsigned long long>(words));
  return wrong == 0 ? 0 : 1;
}

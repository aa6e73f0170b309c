// Two sweeps of a grid on a GPU, in which every cell needs the new values of its neighbours on the low sides; the bits
// are those of the host.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "speedwell/apps/wavefront/gpu_solver.hpp"
#include "speedwell/apps/wavefront/wavefront.hpp"

int main() {
  namespace wavefront = speedwell::wavefront;
  if (!speedwell::core::have_device()) {
    std::printf("no GPU\n");
    return 77;
  }
  auto grid = wavefront::make_grid<float>({.extents = {64, 96, 128}, .bits = 22});
  const wavefront::Recurrence<float> recurrence;
  const speedwell::core::Stream stream;
  wavefront::GpuSolver<float> solver(grid.extents, recurrence);
  solver.upload(grid, stream);
  for (int sweep = 0; sweep < 2; ++sweep) solver.run(stream);
  solver.finish(stream);
  std::vector<float> cells(grid.cells.size());
  solver.download(cells, stream);

  for (int sweep = 0; sweep < 2; ++sweep) wavefront::sweep(grid, recurrence);
  const bool same = std::equal(cells.begin(), cells.end(), grid.cells.data());
  std::printf("the last cell is %.6f, the grid is %s\n", cells.back(), same ? "the host's" : "not the host's");
  return same ? 0 : 1;
}

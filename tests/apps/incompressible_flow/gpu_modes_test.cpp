// The direct solver by eigenvectors on a GPU against the oracle.
#include <gtest/gtest.h>

#include <array>

#include "speedwell/apps/incompressible_flow/choice.hpp"
#include "speedwell/apps/incompressible_flow/verify/reference.hpp"
#include "speedwell/apps/incompressible_flow/verify/verify.hpp"
#include "tests/apps/incompressible_flow/on_gpu.hpp"
#include "tests/apps/incompressible_flow/stirred.hpp"

namespace speedwell::incompressible_flow {
namespace {

// Eigenvectors along two axes: odd and even numbers of cells, of one too, between walls and periodic, with both kinds
// of third axis, over several steps of one graph.
TEST(FlowOnGpu, BoxesThatAreStretchedAlongAllAxes) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const auto& [nx, ny, nz] : {std::array{16, 12, 20}, {13, 9, 21}, {15, 1, 33}, {40, 33, 64}})
    for (int walls = 0; walls < 8; ++walls) {
      Problem p = box(nx, ny, nz, 0.01);
      for (int d = 0; d < 3; ++d) {
        const int n = p.extents().extent(d);
        p.faces[static_cast<std::size_t>(d)] = random_faces(n, turn * n / 16, static_cast<std::uint64_t>(d + 1));
        if (walls >> d & 1) close(p, d);
      }
      ASSERT_TRUE(ny == 1 || choose(p, Pressure::automatic).by_modes);
      const State<double> begin = beginning(p);
      State<double> expected = begin.copy();
      reference::advance(p, {}, expected, dt, 4);
      const Options direct = {.pressure = Pressure::direct};
      const core::Verdict twice = verify(p, expected, advanced<double>(p, direct, begin, 4), 4);
      EXPECT_TRUE(twice.passed) << nx << " " << ny << " " << nz << " " << walls << ": " << twice.error << " > "
                                << twice.tolerance << ", " << twice.oracle;
      const core::Verdict single = verify(p, expected, advanced<float>(p, direct, begin, 4), 4);
      EXPECT_TRUE(single.passed) << nx << " " << ny << " " << nz << " " << walls
                                 << " in single precision: " << single.error << " > " << single.tolerance << ", "
                                 << single.oracle;
    }
}

}  // namespace
}  // namespace speedwell::incompressible_flow

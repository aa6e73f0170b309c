// The kernels of the moments' steps, played block by block on the host.
#include "speedwell/apps/binary_fluid/gpu/march.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "speedwell/apps/binary_fluid/gpu/site.hpp"
#include "speedwell/apps/binary_fluid/initial.hpp"
#include "speedwell/apps/binary_fluid/verify/reference.hpp"
#include "tests/apps/binary_fluid/play_march.hpp"

namespace speedwell::binary_fluid {
namespace {

// Boxes thinner than a tile, as wide, and one wider; marches of one plane, and of more than there are.
TEST(BinaryFluidMarch, TakesTheReferencesSteps) {
  using T = Tile<8, 4>;
  for (const Extents& e : {Extents{1, 1, 1}, Extents{3, 3, 3}, Extents{8, 4, 5}, Extents{9, 5, 4}, Extents{17, 3, 7}})
    for (const int planes : {1, 3, 8}) {
      Problem p{.extents = e, .steps = 4};
      p.fluid.force = {1e-3, -2e-3, 5e-4};
      State s = initial(p, {.phi0 = 0.1, .noise = 0.5, .stirring = 0.02}), known = s;
      reference::advance(p, known);
      const Domain box(p);
      const Coefficients<double> k(p);
      const auto n = static_cast<std::size_t>(e.sites());
      const auto stride = static_cast<std::int64_t>(n);
      std::vector<double> now(15 * n), next(15 * n), phi(n);
      const auto site_of = [&](int x, int y, int z) { return Near(box, x, y, z); };
      const auto each = [&](const auto& body) {
        for (int z = 0; z < e.nz; ++z)
          for (int y = 0; y < e.ny; ++y)
            for (int x = 0; x < e.nx; ++x) body(site_of(x, y, z));
      };
      const auto populations = [&](const Near& near, double(&f)[velocities], double(&g)[velocities]) {
        for (std::size_t q = 0; q < velocities; ++q) {
          f[q] = s.f[q * n + static_cast<std::size_t>(near.site(0, 0, 0))];
          g[q] = s.g[q * n + static_cast<std::size_t>(near.site(0, 0, 0))];
        }
      };
      double f[velocities], g[velocities];
      each([&](const Near& near) {
        populations(near, f, g);
        phi[static_cast<std::size_t>(near.site(0, 0, 0))] = phi_of(g);
      });
      each([&](const Near& near) {
        populations(near, f, g);
        const auto d = differences<double>(
            k.stencil(), [&](int x, int y, int z) { return phi[static_cast<std::size_t>(near.site(x, y, z))]; });
        store_collided(now.data(), stride, near.site(0, 0, 0), collide(k, moments_of(f, g), d, {}));
      });
      for (int step = 1; step < p.steps; ++step) {
        play<T>(PhiMarch<double, double, T>{box, k, now.data(), phi.data(), stride}, device::all_planes, planes);
        play<T>(StepMarch<double, double, T>{box, k, now.data(), next.data(), phi.data(), stride}, device::all_planes,
                planes);
        now.swap(next);
      }
      each([&](const Near& near) {
        outgoing_populations(k, load_collided<double, double>(now.data(), stride, near.site(0, 0, 0)), f, g);
        for (int q = 0; q < velocities; ++q) {
          const auto to = static_cast<std::size_t>(q) * n +
                          static_cast<std::size_t>(near.site(lattice::c(q, 0), lattice::c(q, 1), lattice::c(q, 2)));
          ASSERT_NEAR(f[q], known.f[to], 1e-14);
          ASSERT_NEAR(g[q], known.g[to], 1e-14);
        }
      });
    }
}

// From populations to moments, some steps there, and back: the bits do not tell how steps were divided. (On a device
// the same operations are rounded alike, since only mad() contracts.)
TEST(BinaryFluidMarch, StepsMayBeDividedAnywhereWithoutAChangeOfBits) {
  using T = Tile<8, 4>;
  const Problem p{.extents = {9, 5, 4}};
  const Domain box(p);
  const Coefficients<double> k(p);
  const std::int64_t n = box.sites();
  const auto each = [&](const auto& body) {
    for (int z = 0; z < box.n[2]; ++z)
      for (int y = 0; y < box.n[1]; ++y)
        for (int x = 0; x < box.n[0]; ++x) body(x, y, z);
  };
  const auto run = [&](State s, const std::vector<int>& parts) {
    std::vector<double> now(static_cast<std::size_t>(15 * n)), next(now.size()), phi(static_cast<std::size_t>(n));
    for (const int steps : parts) {
      const device::Populations<double> natural{s.f.data(), s.g.data(), n, false};
      each([&](int x, int y, int z) { device::phi_site(box, natural, phi.data(), x, y, z); });
      each([&](int x, int y, int z) { device::enter_site(box, k, natural, phi.data(), now.data(), n, x, y, z); });
      for (int step = 1; step < steps; ++step) {
        play<T>(PhiMarch<double, double, T>{box, k, now.data(), phi.data(), n}, device::all_planes, 3);
        play<T>(StepMarch<double, double, T>{box, k, now.data(), next.data(), phi.data(), n}, device::all_planes, 3);
        now.swap(next);
      }
      each([&](int x, int y, int z) { device::leave_site(box, k, now.data(), n, natural, x, y, z); });
    }
    return s;
  };
  const State start = initial(p, {.noise = 0.5, .stirring = 0.02});
  const State whole = run(start, {7});
  for (const std::vector<int>& parts : {std::vector<int>{1, 6}, {3, 4}, {2, 2, 1, 2}}) {
    const State divided = run(start, parts);
    EXPECT_EQ(divided.f, whole.f);
    EXPECT_EQ(divided.g, whole.g);
  }
}

}  // namespace
}  // namespace speedwell::binary_fluid

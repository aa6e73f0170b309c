// The kernels of one site a thread, played on the host: in any order of sites they meet the oracle.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "speedwell/apps/binary_fluid/cpu/study_host.hpp"
#include "speedwell/apps/binary_fluid/gpu/site.hpp"
#include "speedwell/apps/binary_fluid/gpu/site_statistics.hpp"
#include "speedwell/apps/binary_fluid/gpu/study_site.hpp"
#include "speedwell/apps/binary_fluid/initial.hpp"
#include "speedwell/apps/binary_fluid/statistics.hpp"
#include "speedwell/apps/binary_fluid/verify/reference.hpp"
#include "speedwell/apps/binary_fluid/verify/verify.hpp"

namespace speedwell::binary_fluid {
namespace {

/// body(i, j, k) of every site, in an order that has nothing to do with where they are.
template <class Body>
void scattered(const Domain& box, const Body& body) {
  const std::int64_t sites = box.sites();
  std::int64_t stride = sites / 2 + 1;
  while (std::gcd(stride, sites) != 1) ++stride;
  for (std::int64_t n = 0, s = sites / 3; n < sites; ++n, s = (s + stride) % sites)
    body(static_cast<int>(s % box.n[0]), static_cast<int>(s / box.n[0] % box.n[1]),
         static_cast<int>(s / box.n[0] / box.n[1]));
}

template <class S>
struct Lattice {
  std::vector<S> values;
  device::Populations<S> at;
  explicit Lattice(std::int64_t sites) : values(static_cast<std::size_t>(38 * (sites + 7))) {
    at = {values.data(), values.data() + 19 * (sites + 7), sites + 7, false};
  }
};

template <class S, class R>
State played(const Problem& p, const State& start, bool in_place) {
  const Domain box(p);
  const Coefficients<R> c(p);
  const std::int64_t n = box.sites();
  State s = start;
  const device::Populations<double> natural{s.f.data(), s.g.data(), n, false};
  Lattice<S> one(n), other(n);
  std::vector<R> phi(static_cast<std::size_t>(n)), laplacian(phi.size());
  scattered(box, [&](int i, int j, int k) { device::copy_site(box, natural, one.at, i, j, k); });
  for (int step = 0; step < p.steps; ++step) {
    scattered(box, [&](int i, int j, int k) { device::phi_site(box, one.at, phi.data(), i, j, k); });
    scattered(box, [&](int i, int j, int k) {
      device::laplacian_site(box, c.stencil(), phi.data(), laplacian.data(), i, j, k);
    });
    if (in_place) {
      scattered(box, [&](int i, int j, int k) {
        device::collide_site<true>(box, c, one.at, phi.data(), laplacian.data(), i, j, k);
      });
      one.at.odd = !one.at.odd;
    } else {
      scattered(box, [&](int i, int j, int k) {
        device::collide_site<false>(box, c, one.at, phi.data(), laplacian.data(), i, j, k);
      });
      scattered(box, [&](int i, int j, int k) { device::propagate_site(box, one.at, other.at, i, j, k); });
      std::swap(one.values, other.values);
      std::swap(one.at, other.at);
    }
  }
  scattered(box, [&](int i, int j, int k) { device::copy_site(box, one.at, natural, i, j, k); });
  s.step += p.steps;
  return s;
}

std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (const Extents& e : {Extents{1, 1, 1}, Extents{3, 3, 3}, Extents{1, 5, 7}, Extents{9, 4, 6}})
    for (const int count : {1, 4}) {
      for (const Collision collision : {Collision::m10, Collision::trt, Collision::bgk}) {
        all.push_back({.extents = e, .steps = count});
        all.back().scheme.collision = collision;
        all.back().fluid.force = {1e-3, -2e-3, 5e-4};
      }
      all.push_back({.extents = e, .steps = count});
      all.back().fluid.energy = {
          .kind = FreeEnergy::Kind::brazovskii, .a = -5e-4, .b = 5e-4, .kappa = -6e-4, .c = 7.6e-4};
      for (std::size_t walls = 1; walls < 8; ++walls) {
        all.push_back({.extents = e, .steps = count});
        for (std::size_t d = 0; d < 3; ++d) {
          if (!(walls >> d & 1) || e.extent(static_cast<int>(d)) < 2) continue;
          all.back().axes[d] = {.walls = true};
          all.back().axes[d].velocity[0][(d + 1) % 3] = 0.01;
          all.back().axes[d].velocity[1][(d + 2) % 3] = -0.02;
        }
      }
    }
  return all;
}

TEST(BinaryFluidSites, TakeTheReferencesStepsInAnyOrder) {
  const Beginning b{.phi0 = 0.1, .noise = 0.5, .stirring = 0.02};
  for (const Problem& p : problems()) {
    const State start = initial(p, b);
    const Expected known = expected(p, b, start);
    for (const bool in_place : {true, false}) {
      const core::Verdict f64 = verify(p, known, Precision::f64, played<double, double>(p, start, in_place)),
                          f32 = verify(p, known, Precision::f32, played<float, float>(p, start, in_place)),
                          mixed = verify(p, known, Precision::mixed, played<float, double>(p, start, in_place));
      EXPECT_TRUE(f64.passed) << in_place << ": " << f64.error << " " << f64.oracle;
      EXPECT_TRUE(f32.passed) << in_place << ": " << f32.error << " " << f32.oracle;
      EXPECT_TRUE(mixed.passed) << in_place << ": " << mixed.error << " " << mixed.oracle;
    }
  }
}

// Statistics as a GPU makes them, from a lattice before an odd step: those of its state.
TEST(BinaryFluidSites, AddUpToTheStatistics) {
  for (const bool walls : {false, true}) {
    Problem p{.extents = {9, 4, 6}, .steps = 1};
    p.fluid.force = {1e-3, -2e-3, 5e-4};
    p.axes[2].walls = walls;
    const Domain box(p);
    const Coefficients<double> c(p);
    const State start = initial(p, {.phi0 = 0.1, .noise = 0.5, .stirring = 0.02});
    Lattice<double> one(box.sites());
    State s = start;
    const device::Populations<double> natural{s.f.data(), s.g.data(), box.sites(), false};
    std::vector<double> phi(static_cast<std::size_t>(box.sites()));
    scattered(box, [&](int i, int j, int k) { device::copy_site(box, natural, one.at, i, j, k); });
    scattered(box, [&](int i, int j, int k) { device::phi_site(box, one.at, phi.data(), i, j, k); });
    scattered(box, [&](int i, int j, int k) {
      device::collide_site<true>(box, c, one.at, phi.data(), static_cast<const double*>(nullptr), i, j, k);
    });
    one.at.odd = true;
    scattered(box, [&](int i, int j, int k) { device::copy_site(box, one.at, natural, i, j, k); });
    scattered(box, [&](int i, int j, int k) { device::phi_site(box, one.at, phi.data(), i, j, k); });
    const SumsProblem sums(p);
    SiteSums sum = SiteSums::none();
    scattered(box, [&](int i, int j, int k) { sum.add(device::sums_at(box, sums, one.at, phi.data(), i, j, k)); });
    const Statistics got = statistics_of(p, sum), known = statistics(p, s);
    EXPECT_NEAR(got.mass, known.mass, 1e-13);
    EXPECT_NEAR(got.phi, known.phi, 1e-12);
    EXPECT_NEAR(got.phi_squared, known.phi_squared, 1e-12);
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(got.momentum[d], known.momentum[d], 1e-12);
    EXPECT_NEAR(got.free_energy, known.free_energy, 1e-12);
    EXPECT_NEAR(got.surface, known.surface, 1e-11);
    EXPECT_NEAR(got.phi_min, known.phi_min, 1e-15);
    EXPECT_NEAR(got.rho_max, known.rho_max, 1e-15);
    EXPECT_NEAR(got.speed_max, known.speed_max, 1e-15);
    EXPECT_EQ(got.bad_site, -1);
    one.at.f[5] = NAN;
    EXPECT_GE(statistics_of(p,
                            [&] {
                              SiteSums bad = SiteSums::none();
                              scattered(box, [&](int i, int j, int k) {
                                bad.add(device::sums_at(box, sums, one.at, phi.data(), i, j, k));
                              });
                              return bad;
                            }())
                  .bad_site,
              0);
  }
}

// The host's part of the study's port with the device's played by the host: by sites, and by rearranged slots.
TEST(BinaryFluidStudy, TakesTheReferencesSteps) {
  const Beginning b{.phi0 = 0.1, .noise = 0.5, .stirring = 0.02};
  for (const Extents& e : {Extents{1, 1, 1}, Extents{3, 5, 4}, Extents{17, 3, 6}})
    for (int way = 0; way < 3; ++way) {
      Problem p{.extents = e, .steps = 4};
      p.fluid.force = {1e-3, -2e-3, 5e-4};
      State s = initial(p, b);
      const Expected known = expected(p, b, s);
      const Coefficients<double> c(p);
      StudyHost<double> host(p, 2);
      host.set(s);
      const std::int64_t pitch = (e.nx + 15) / 16 * 16, stride = pitch * e.ny * e.nz;
      std::vector<double> slots(static_cast<std::size_t>(38 * stride)), slopes(static_cast<std::size_t>(4 * stride));
      for (int step = 0; step < p.steps; ++step) {
        host.differentiate();
        if (way == 2) {
          host.to_slots(slots, pitch);
          host.differences_to_slots(slopes, pitch);
        }
        for (std::int64_t i = 0; i < e.nx; ++i)
          for (std::int64_t j = 0; j < e.ny; ++j)
            for (std::int64_t k = 0; k < e.nz; ++k) {
              const std::size_t at = host.at(i, j, k);
              double f[38], d[4], u[3];
              const auto slot = static_cast<std::size_t>(i + pitch * (j + e.ny * k));
              if (way == 2) {
                for (std::size_t q = 0; q < 38; ++q) f[q] = slots[q * static_cast<std::size_t>(stride) + slot];
                for (std::size_t q = 0; q < 4; ++q) d[q] = slopes[q * static_cast<std::size_t>(stride) + slot];
                study_site<true>(c, f, d, u);
                for (std::size_t q = 0; q < 38; ++q) slots[q * static_cast<std::size_t>(stride) + slot] = f[q];
              } else if (way == 1) {
                study_site<true>(c, &host.sites[38 * at], &host.differences[4 * at], &host.velocity[3 * at]);
              } else {
                study_site<false>(c, &host.sites[38 * at], &host.differences[4 * at], &host.velocity[3 * at]);
              }
            }
        if (way == 2) host.from_slots(slots, pitch);
        host.propagate();
      }
      host.get(s);
      const core::Verdict verdict = verify(p, known, Precision::f64, s);
      EXPECT_TRUE(verdict.passed) << way << ": " << verdict.error << " " << verdict.oracle;
    }
}

}  // namespace
}  // namespace speedwell::binary_fluid

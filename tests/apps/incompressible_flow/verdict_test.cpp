// The verdict on flows that once repeated a tile: faults of one block, one plane and one Fourier mode are found at
// sizes whose oracle begins with pressures from transforms; and that oracle is as good as without them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>

#include "speedwell/apps/incompressible_flow/adapter.hpp"
#include "speedwell/apps/incompressible_flow/adapter_workload.hpp"
#include "speedwell/apps/incompressible_flow/linear_solvers/approximate_pressure.hpp"
#include "tests/apps/incompressible_flow/cases.hpp"
#include "tests/apps/lifecycle.hpp"

namespace speedwell::incompressible_flow {
namespace {

constexpr int n = 66;  // two tiles of 33 along each axis, once

std::size_t at(int i, int j, int k) { return Extents{n, n, n}.at(i, j, k); }

// Takes the mode of so many waves along each axis out of a field.
template <class T>
void take_out(T* values, int x, int y, int z) {
  std::complex<double> amplitude = 0;
  const auto wave = [&](int i, int j, int k) { return std::polar(1.0, turn * (x * i + y * j + z * k) / n); };
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) amplitude += static_cast<double>(values[at(i, j, k)]) * std::conj(wave(i, j, k));
  amplitude *= 2.0 / (double{n} * n * n);
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) values[at(i, j, k)] -= static_cast<T>((amplitude * wave(i, j, k)).real());
}

template <class T>
void reject_faults(const char* precision) {
  const harness::Application app = application();
  const harness::Problem problem = harness::problem_with(
      app, {{"n", std::int64_t{n}}, {"steps", std::int64_t{2}}, {"precision", std::string(precision)}});
  const auto run = harness::completed_run(app, harness::row(app, "openmp"), problem);
  const State<double> begin = initial_flow(settings_of(problem));
  const auto outputs = run->outputs();
  const core::Verdict right = run->verify();
  EXPECT_TRUE(right.passed) << right.error << " > " << right.tolerance << ", " << right.oracle;
  for (const std::size_t which : {0u, 3u}) {
    T* const values = static_cast<T*>(outputs[which].data);
    const std::vector<T> kept(values, values + outputs[which].count);
    const auto rejects = [&](const std::string& fault, const auto& plant) {
      plant();
      EXPECT_FALSE(run->verify().passed) << precision << " " << outputs[which].name << ": " << fault;
      std::copy(kept.begin(), kept.end(), values);
    };
    rejects("a block of 8 x 4 x 2 cells skipped", [&] {
      for (int k = 40; k < 42; ++k)
        for (int j = 12; j < 16; ++j)
          for (int i = 56; i < 64; ++i)
            values[at(i, j, k)] =
                static_cast<T>(which < 3 ? begin.velocity[which][at(i, j, k)] : begin.pressure[at(i, j, k)]);
    });
    rejects("two tiles change places", [&] {
      for (int k = 0; k < 8; ++k)
        for (int j = 0; j < 8; ++j) std::swap_ranges(values + at(0, j, k), values + at(8, j, k), values + at(33, j, k));
    });
    rejects("a plane stands one row further",
            [&] { std::rotate(values + at(0, 0, 50), values + at(0, 1, 50), values + at(0, 0, 51)); });
    rejects("the last cell", [&] { values[outputs[which].count - 1] = T(0.01); });
    rejects("one NaN", [&] { values[at(7, 7, 7)] = std::numeric_limits<T>::quiet_NaN(); });
    // Odd numbers of waves are in no tile of 33. 33 of them is the most that 66 cells have.
    for (const auto& [x, y, z] : {std::array<int, 3>{1, 3, 0}, {33, 1, 32}, {17, 5, 29}})
      rejects("mode " + std::to_string(x) + " " + std::to_string(y) + " " + std::to_string(z),
              [&, x = x, y = y, z = z] { take_out(values, x, y, z); });
  }
}

TEST(FlowVerdict, RejectsFaultsOfABlockAPlaneAndAModeInF64) { reject_faults<double>("f64"); }
TEST(FlowVerdict, RejectsFaultsOfABlockAPlaneAndAModeInF32) { reject_faults<float>("f32"); }

TEST(FlowVerdict, LargeFlowsDoNotRepeat) {
  const harness::Application app = application();
  for (const char* flow : {"taylor-green", "channel", "noise"}) {
    const State<double> s = initial_flow(settings_of(
        harness::problem_with(app, {{"flow", std::string(flow)}, {"nx", std::int64_t{128}}, {"n", std::int64_t{6}}})));
    for (const int tile : {16, 32, 64}) {
      double most = 0;
      for (int i = 0; i + tile < 128; ++i)
        most = std::max(most, std::abs(s.velocity[0][static_cast<std::size_t>(i + tile)] -
                                       s.velocity[0][static_cast<std::size_t>(i)]));
      EXPECT_GT(most, 1e-3) << flow << " " << tile;
    }
  }
}

// The oracle is the same to rounding with pressures to begin with, without, and with wrong ones, which cost time alone.
TEST(FlowReference, TakesNoPressureOnTrust) {
  for (const Case& c : cases()) {
    if (!approximate_pressure(c.problem)) continue;
    const State<double> begin = beginning(c.problem);
    const auto advanced = [&](const reference::Approximate& approximate) {
      State<double> s = begin.copy();
      reference::advance(c.problem, {}, s, 0.01, 2, approximate);
      return s;
    };
    const State<double> plain = advanced({}), with = advanced(approximate_pressure(c.problem));
    const State<double> wrong =
        advanced([inner = approximate_pressure(c.problem)](const reference::Cells& rhs, reference::Cells& p) {
          inner(rhs, p);
          for (std::size_t cell = 0; cell < p.size(); cell += 3) p[cell] *= 1.5;
        });
    const State<double> nan = advanced([](const reference::Cells&, reference::Cells& p) {
      std::fill(p.begin(), p.end(), std::numeric_limits<double>::quiet_NaN());
    });
    for (const State<double>* s : {&with, &wrong, &nan})
      for (std::size_t d = 0; d < 3; ++d)
        for (std::size_t cell = 0; cell < plain.pressure.size(); ++cell) {
          ASSERT_NEAR(s->velocity[d][cell], plain.velocity[d][cell], 1e-12) << c.name;
          ASSERT_NEAR(s->pressure[cell], plain.pressure[cell], 1e-9) << c.name;
        }
  }
}

}  // namespace
}  // namespace speedwell::incompressible_flow

// Every row of the GPU table against the oracle, on the shapes at which indexing goes wrong.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/two_stream/adapter.hpp"
#include "speedwell/apps/two_stream/gpu_solver.hpp"
#include "speedwell/apps/two_stream/problem.hpp"
#include "tests/apps/lifecycle.hpp"

namespace speedwell::two_stream {
namespace {

class TwoStreamGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!core::have_device()) GTEST_SKIP() << "no GPU";
  }
};

/// Overwrites results and scratch memory on the device: what run() does not write is then NaN.
void poison(GpuSolver<double>& solver, const core::Stream& stream) {
  for (const std::span<double> array : solver.device_work())
    core::check(cudaMemsetAsync(array.data(), 0xff, array.size_bytes(), stream.get()));
}

harness::Application with_gpu() {
  harness::Application app = application();
  harness::bind_variants(app, cuda_runs());
  return app;
}

const char* const gpu_rows[] = {"cuda-isolated", "cuda-resident", "cuda-separate", "cuda"};

TEST_F(TwoStreamGpu, EveryRowAgreesWithTheOracleOnAwkwardShapes) {
  const harness::Application app = with_gpu();
  int number = 0;
  double worst = 0;
  for (const auto& [columns, layers, points] : {std::array<std::int64_t, 3>{1, 1, 1},
                                                {7, 13, 3},
                                                {31, 2, 4},
                                                {32, 1, 8},
                                                {33, 3, 9},
                                                {65, 128, 16},
                                                {257, 4, 2},
                                                {1000, 11, 17},
                                                {3001, 3, 21},  // several groups of points to a block
                                                {40000, 5, 5}})
    for (const char* precision : {"f64", "f32"})
      for (const char* kernel : {"column", "triple", "coefficients"})
        for (const char* source : {"sun", "thermal"}) {
          const auto closure = closures[number++ % std::size(closures)];
          const auto p = harness::problem_with(app, {{"columns", columns},
                                                     {"layers", layers},
                                                     {"points", points},
                                                     {"precision", std::string(precision)},
                                                     {"kernel", std::string(kernel)},
                                                     {"source", std::string(source)},
                                                     {"closure", std::string(to_string(closure))},
                                                     {"delta", std::string(number % 3 ? "on" : "off")},
                                                     {"planck", std::string(number % 2 ? "linear" : "quadratic")}});
          for (const char* name : gpu_rows) {
            const harness::Variant& row = harness::row(app, name);
            if (row.applies_to && !row.applies_to(p)) continue;
            const auto verdict = harness::completed_run(app, row, p)->verify();
            EXPECT_TRUE(verdict.passed) << name << " " << columns << " x " << layers << " x " << points << " "
                                        << precision << " " << kernel << " " << source << " " << to_string(closure)
                                        << ": " << verdict.error;
            worst = std::max(worst, verdict.error / verdict.tolerance);
          }
        }
  EXPECT_LE(worst, 0.5);
}

/// The verdict of an atmosphere that was not made by the application.
core::Verdict verdict_of(const Problem& p, const Atmosphere<double>& a) {
  const core::Stream stream;
  GpuSolver<double> solver(a, p.options);
  solver.upload(a, stream);
  poison(solver, stream);
  solver.run(stream);
  std::vector<double> up(p.columns * (p.layers + 1)), down(up.size()), direct(up.size());
  solver.download(Fluxes<double>{up.data(), down.data(), direct.data()}, stream);
  return verify(p, reference(a, p.options), Fluxes<const double>{up.data(), down.data(), direct.data()});
}

TEST_F(TwoStreamGpu, NightsAgreeWithTheOracle) {
  for (const Kernel kernel : {Kernel::column, Kernel::triple}) {
    Problem p{.kernel = kernel, .columns = 301, .layers = 9, .points = 4};
    p.options.night = true;
    const SyntheticAtmosphere<double> data(p);
    auto a = data.atmosphere();
    std::vector<double> mu0(a.mu0, a.mu0 + p.columns);
    for (std::size_t c = 0; c < mu0.size(); c += 3) mu0[c] = c % 2 ? -0.5 : 0;
    a.mu0 = mu0.data();
    const core::Verdict verdict = verdict_of(p, a);
    EXPECT_TRUE(verdict.passed) << verdict.error;
  }
}

// Clouds that begin in each of the layers in turn, and below all of them: none is of one region, or all are.
TEST_F(TwoStreamGpu, CloudsMayBeginInAnyLayer) {
  const Problem p{.kernel = Kernel::triple, .columns = 71, .layers = 5, .points = 9};
  const SyntheticAtmosphere<double> data(p);
  auto a = data.atmosphere();
  for (a.cloud_top = 0; a.cloud_top <= p.layers; ++a.cloud_top) {
    const core::Verdict verdict = verdict_of(p, a);
    EXPECT_TRUE(verdict.passed) << a.cloud_top << ": " << verdict.error;
  }
}

TEST_F(TwoStreamGpu, RefusesCloudsThatBeginInAnotherLayer) {
  const Problem p{.kernel = Kernel::triple, .columns = 7, .layers = 5, .points = 2};
  const SyntheticAtmosphere<double> data(p);
  auto a = data.atmosphere();
  const core::Stream stream;
  GpuSolver<double> solver(a, p.options);
  a.cloud_top += 1;
  EXPECT_THROW(solver.upload(a, stream), std::invalid_argument);
  a.cloud_top -= 1;
  solver.upload(a, stream);
}

TEST(TwoStreamGpuSolver, RefusesCloudsInSeparatePasses) {
  const Problem p{.kernel = Kernel::triple, .columns = 7, .layers = 3, .points = 2};
  const SyntheticAtmosphere<double> data(p);
  EXPECT_THROW(GpuSolver<double>(data.atmosphere(), p.options, Method::separate), std::invalid_argument);
}

TEST_F(TwoStreamGpu, GivesTheSameBitsEveryTime) {
  for (const Kernel kernel : {Kernel::column, Kernel::triple}) {
    const Problem p{.kernel = kernel, .columns = 3001, .layers = 17, .points = 21};
    const SyntheticAtmosphere<double> data(p);
    const core::Stream stream;
    GpuSolver<double> solver(data.atmosphere(), p.options);
    solver.upload(data.atmosphere(), stream);
    const std::size_t size = p.columns * (p.layers + 1);
    std::vector<double> first[3], again[3];
    for (auto* set : {first, again}) {
      for (int i = 0; i < 3; ++i) set[i].resize(size);
      poison(solver, stream);
      solver.run(stream);
      solver.download(Fluxes<double>{set[0].data(), set[1].data(), set[2].data()}, stream);
    }
    for (int i = 0; i < 3; ++i) EXPECT_EQ(std::memcmp(first[i].data(), again[i].data(), size * sizeof(double)), 0);
  }
}

}  // namespace
}  // namespace speedwell::two_stream

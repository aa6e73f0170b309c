// The work that the application counts, the problems that it refuses, the answers that its verdict rejects, and the
// flow around cubes.
#include "speedwell/apps/incompressible_flow/adapter.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>

#include "speedwell/apps/incompressible_flow/adapter_workload.hpp"
#include "speedwell/apps/incompressible_flow/cases/cubes.hpp"
#include "tests/apps/lifecycle.hpp"

namespace speedwell::incompressible_flow {
namespace {

harness::Problem problem_of(const harness::Application& app, const char* flow, std::int64_t n, const char* precision) {
  return harness::problem_with(
      app, {{"flow", std::string(flow)}, {"n", n}, {"steps", std::int64_t{2}}, {"precision", std::string(precision)}});
}

TEST(FlowAdapter, CountsTheNumbersThatAStepReadsAndWrites) {
  const harness::Application app = application();
  const harness::Problem periodic = problem_of(app, "taylor-green", 16, "f64");
  const auto words = [&](const harness::Work& w) { return (w.bytes_read + w.bytes_written) / (8 * w.updates); };
  EXPECT_EQ(words(app.work(periodic)), 69);
  EXPECT_EQ(words(harness::row(app, "cuda").work(periodic)), 93);
  EXPECT_TRUE(app.work(periodic).no_limit.empty());
  EXPECT_FALSE(app.work(problem_of(app, "cubes", 16, "f64")).no_limit.empty()) << "conjugate gradients";
}

template <class Fault>
bool passes(const Fault& fault) {
  const harness::Application app = application();
  const auto run = harness::completed_run(app, harness::row(app, "openmp"), problem_of(app, "taylor-green", 12, "f64"));
  const auto outputs = run->outputs();
  fault(outputs);
  return run->verify().passed;
}
double* values(const harness::Output& o) { return static_cast<double*>(o.data); }

TEST(FlowAdapter, TheVerdictRejectsWhatIsWrong) {
  using Outputs = std::vector<harness::Output>;
  EXPECT_TRUE(passes([](const Outputs&) {}));
  for (const std::size_t which : {0u, 1u, 2u, 3u}) {
    EXPECT_FALSE(passes([&](const Outputs& o) { values(o[which])[77] += 1e-4; })) << which;
    EXPECT_FALSE(passes([&](const Outputs& o) { values(o[which])[o[which].count - 1] = 0.5; })) << which;
    EXPECT_FALSE(passes([&](const Outputs& o) { values(o[which])[5] = std::numeric_limits<double>::infinity(); }));
  }
}

TEST(FlowAdapter, RefusesValuesThatDoNotGoTogether) {
  const harness::Application app = application();
  const auto refused = [&](std::vector<harness::Setting> settings) {
    EXPECT_THROW(settings_of(harness::problem_with(app, settings)), std::invalid_argument);
  };
  refused({{"flow", std::string("cubes")}, {"pressure", std::string("direct")}});
  refused({{"cfl", 1.9}});
}

TEST(FlowCubes, AreThePublishedOnes) {
  EXPECT_EQ(Stream(0).bits(), 0xe220a8397b1dcdafull);
  Stream stream(0);
  stream.bits();
  EXPECT_EQ(stream.bits(), 0x6e789e6aa1b965f4ull);
  const auto small = cube_corners({32, 32, 32}, 1, 3), large = cube_corners({64, 64, 64}, 1, 3);
  EXPECT_EQ(small, (std::vector<std::array<int, 3>>{{18, 23, 31}, {14, 14, 24}, {28, 16, 9}}));
  EXPECT_EQ(large, (std::vector<std::array<int, 3>>{{36, 47, 62}, {28, 28, 48}, {56, 33, 18}}));
  const double expected[3][3] = {{0.119909571605, 0.929167573501, -0.349670294694},
                                 {-0.835283136866, 0.084328439483, -0.543314637720},
                                 {-0.374325635787, -0.927191630874, 0.013999929630}};
  const auto ways = directions(1, 3);
  for (std::size_t n = 0; n < 3; ++n)
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(ways[n][d], expected[n][d], 1e-12);
}

TEST(FlowCubes, FillThePublishedFractions) {
  struct Golden {
    int n, cubes, edge;
    double fraction;
  };
  for (const Golden& g : {Golden{32, 12, 4, 0.02344}, Golden{64, 96, 4, 0.02322}}) {
    Problem p;
    for (auto& f : p.faces)
      for (int i = 0; i <= g.n; ++i) f.push_back(i);
    add_cubes(p, 1, g.cubes, g.edge);
    double solid = 0;
    for (const auto s : p.solid) solid += s;
    EXPECT_NEAR(solid / static_cast<double>(p.solid.size()), g.fraction, 5e-6);
  }
}

}  // namespace
}  // namespace speedwell::incompressible_flow

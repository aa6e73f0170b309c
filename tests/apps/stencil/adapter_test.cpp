// The work that the application counts, and what it refuses.
#include "speedwell/apps/stencil/adapter.hpp"

#include <gtest/gtest.h>

#include "speedwell/harness/problems.hpp"
#include "tests/apps/lifecycle.hpp"
#include "tests/support/work.hpp"

namespace speedwell::stencil {
namespace {

using harness::Setting;

harness::Problem problem(const std::vector<Setting>& settings, std::uint64_t seed = 1) {
  return harness::problem_on_small_box(application(), settings, seed);
}
std::string word(const char* text) { return text; }

TEST(StencilApplication, CountsTheLeastTrafficOfEveryKernel) {
  const harness::Application app = application();
  const double n = 17 * 9 * 12;
  const auto bytes = [&](const char* kernel, std::vector<Setting> more = {}) {
    more.push_back({"kernel", word(kernel)});
    const harness::Work work = app.work(problem(more));
    return (work.bytes_read + work.bytes_written) / n;
  };
  EXPECT_EQ(bytes("e"), 32);
  EXPECT_EQ(bytes("e0"), 16);
  EXPECT_EQ(bytes("l"), 16);
  EXPECT_EQ(bytes("v"), 40);
  EXPECT_EQ(bytes("g"), 72);
  EXPECT_EQ(bytes("jacobi"), 16);
  EXPECT_NEAR(bytes("sum"), 8, 0.01);
  EXPECT_EQ(bytes("e", {{"precision", word("f32")}}), 16);
}

TEST(StencilApplication, CountsTheTrafficOfEveryVariantOfSweeps) {
  const harness::Application app = application();
  const auto work = [&](const char* row) {
    return harness::row(app, row).work(
        problem({{"kernel", word("jacobi")}, {"n", std::int64_t{64}}, {"steps", std::int64_t{12}}}));
  };
  const auto bytes = [&](const char* row) {
    const harness::Work w = work(row);
    return (w.bytes_read + w.bytes_written) / w.updates;
  };
  EXPECT_EQ(bytes("cuda-march"), 16);
  EXPECT_EQ(bytes("openmp"), 4) << "four sweeps a pass";
  EXPECT_EQ(bytes("cuda"), 4);
  EXPECT_NEAR(work("cuda").operations / (12.0 * 64 * 64 * 64), 20, 1e-12);
  EXPECT_EQ(work("openmp").operations, 10 * 12.0 * 64 * 64 * 64);
}

TEST(StencilApplication, NoVariantMovesLessThanTheBestKnown) { test::expect_no_variant_below_the_best(application()); }

TEST(StencilApplication, RefusesWhatDoesNotGoTogether) {
  const harness::Application app = application();
  const auto refused = [&](std::vector<Setting> settings) {
    EXPECT_THROW(app.footprint(problem(std::move(settings))), std::invalid_argument);
  };
  refused({{"kernel", word("jacobi")}, {"boundary", word("zero")}});
  refused({{"kernel", word("e")}, {"boundary", word("none")}});
  EXPECT_THROW(app.footprint(harness::problem_with(app, {{"nx", std::int64_t{2}}})), std::invalid_argument);
  EXPECT_THROW(
      app.footprint(harness::problem_with(app, {{"nx", std::int64_t{1} << 40}, {"ny", std::int64_t{1} << 40}})),
      std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::stencil

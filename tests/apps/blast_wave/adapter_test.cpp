// The iterations that the application counts, what it refuses, and a verdict on another flow.
#include "speedwell/apps/blast_wave/adapter.hpp"

#include <gtest/gtest.h>

#include "tests/apps/lifecycle.hpp"
#include "tests/support/faulty_run.hpp"

namespace speedwell::blast_wave {
namespace {

using harness::Setting;

harness::Problem problem(std::vector<Setting> settings = {}) {
  std::vector<Setting> all = {
      {"nx", std::int64_t{7}}, {"ny", std::int64_t{5}}, {"nz", std::int64_t{9}}, {"steps", std::int64_t{3}}};
  all.insert(all.begin(), settings.begin(), settings.end());
  return harness::problem_with(application(), all);
}

TEST(BlastWaveApplication, ACubeHasOneParameter) {
  const harness::Application app = application();
  EXPECT_EQ(app.work(harness::problem_with(app, {{"n", std::int64_t{9}}, {"steps", std::int64_t{3}}})).updates,
            9.0 * 9 * 9 * 3);
  EXPECT_THROW(app.work(harness::problem_with(app, {{"n", std::int64_t{4}}})), std::invalid_argument);
}

TEST(BlastWaveApplication, CountsIterationsOfThePublishedProblemAlone) {
  const harness::Application app = application();
  const std::vector<Setting> standard = {
      {"nx", std::int64_t{65}}, {"ny", std::int64_t{65}}, {"nz", std::int64_t{64}}, {"steps", std::int64_t{100}}};
  const harness::Problem p = harness::problem_with(app, standard);
  const double updates = 65 * 65 * 64 * 100.0;
  const auto of = [&](const char* row) { return harness::row(app, row).work(p); };
  EXPECT_EQ(app.work(p).bytes_read + app.work(p).bytes_written, 80 * updates / 100) << "the state in and out";
  EXPECT_NEAR(of("openmp-stored").bytes_read, updates * 20.91 * 3200, 1e-9 * updates * 20.91 * 3200);
  EXPECT_NEAR(of("openmp-stored").bytes_written, updates * (20.91 * 200 + 1400), 1e-9 * updates * 20.91 * 200);
  EXPECT_NEAR(of("cuda").bytes_read + of("cuda").bytes_written, updates * 20.91 * 680, 1e-9 * updates * 20.91 * 680);
  EXPECT_NEAR(of("cuda-f32-blocks").bytes_read, updates * 19.15 * 1800, 1e-9 * updates * 19.15 * 1800);
  EXPECT_NEAR(of("cuda").operations, updates * (20.91 * 1310 + 2600), 1e-9 * updates * 20.91 * 1310);
  EXPECT_TRUE(of("cuda").no_limit.empty());
  for (const harness::Variant& row : app.variants) {
    EXPECT_FALSE(row.work(problem()).no_limit.empty()) << row.name << ": a small mesh";
    EXPECT_GE(row.work(p).bytes_read, app.work(p).bytes_read) << row.name;
  }
}

TEST(BlastWaveApplication, RefusesWhatCannotBe) {
  const harness::Application app = application();
  for (const Setting& setting : std::vector<Setting>{{"cfl", 0.0},
                                                     {"cfl", 21.0},
                                                     {"nx", std::int64_t{4}},
                                                     {"tolerance", 0.0},
                                                     {"gamma", 1.0},
                                                     {"theta", 0.2},
                                                     {"radius", 0.7},
                                                     {"reynolds", -1.0}})
    EXPECT_THROW(app.footprint(problem({setting})), std::invalid_argument) << setting.key;
}

TEST(BlastWaveApplication, AnotherBlastIsRejected) {
  const harness::Application app = application();
  const auto prepared = app.prepare(problem()), other = app.prepare(problem({{"pressure_ratio", 4.0}}));
  EXPECT_FALSE(test::passes(harness::row(app, "openmp"), test::Fault::stale, prepared, other));
}

}  // namespace
}  // namespace speedwell::blast_wave

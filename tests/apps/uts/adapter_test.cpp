// The work that the application counts, trees that the user changes, and a verdict on another tree.
#include "speedwell/apps/uts/adapter.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "speedwell/apps/uts/tree.hpp"
#include "tests/apps/lifecycle.hpp"
#include "tests/support/faulty_run.hpp"

namespace speedwell::uts {
namespace {

harness::Problem problem(const harness::Application& app, const std::vector<harness::Setting>& settings) {
  return harness::problem_with(app, settings);
}

TEST(UtsApplication, CountsTheWorkOfPublishedTreesAndExpectsThatOfOthers) {
  const harness::Application app = application();
  EXPECT_EQ(app.work(problem(app, {{"tree", std::string("T1XXL")}})).updates, 4230646601.0);
  EXPECT_EQ(app.work(problem(app, {{"tree", std::string("T1")}})).operations, 412 * 4130071.0);
  EXPECT_EQ(harness::row(app, "openmp").work(problem(app, {{"tree", std::string("T1")}})).operations, 737 * 4130071.0);
  const auto changed = problem(app, {{"tree", std::string("T3")}, {"root_seed", std::int64_t{1}}});
  EXPECT_NEAR(app.work(changed).updates, 2e6, 1e4);
  const auto small = problem(app, {{"tree", std::string("default")}});
  EXPECT_GT(app.work_of(*app.prepare(small)).updates, 0);
  EXPECT_THROW(app.footprint(problem(app, {{"tree", std::string("T3")}, {"q", 0.125}})), std::invalid_argument);
  EXPECT_THROW(app.footprint(problem(app, {{"depth", std::int64_t{0}}})), std::invalid_argument);
}

TEST(UtsApplication, ChangesWhatTheUserChangesOfANamedTree) {
  const harness::Application app = application();
  // The dissertation's binary tree, made of T1 piece by piece.
  const auto same = problem(app, {{"kind", std::string("binomial")},
                                  {"b0", 5000.0},
                                  {"q", 0.12443},
                                  {"m", std::int64_t{8}},
                                  {"root_seed", std::int64_t{337}}});
  EXPECT_EQ(app.work(same).updates, 1131849.0);
  const auto run = harness::completed_run(app, harness::row(app, "serial"), same);
  EXPECT_EQ(run->verify().oracle.find("published counts"), 0u);
  EXPECT_TRUE(run->verify().passed);
}

TEST(UtsApplication, TheCountsOfAnotherTreeAreRejected) {
  const harness::Application app = application();
  const auto prepared = app.prepare(problem(app, {{"tree", std::string("default")}}));
  const auto other = app.prepare(problem(app, {{"tree", std::string("default")}, {"root_seed", std::int64_t{9}}}));
  EXPECT_FALSE(test::passes(harness::row(app, "openmp"), test::Fault::stale, prepared, other));
}

}  // namespace
}  // namespace speedwell::uts

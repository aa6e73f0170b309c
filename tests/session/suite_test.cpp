// The applications and variants that a suite measures.
#include "speedwell/session/suite.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "speedwell/process/failure.hpp"

namespace speedwell::session {
namespace {

using harness::Application;
using process::UsageError;

std::vector<Application> two() {
  std::vector<Application> all = {{.name = "heat"}, {.name = "waves"}};
  all[0].variants = {{.name = "serial"}, {.name = "openmp"}, {.name = "cuda-naive"}, {.name = "cuda"}};
  all[1].variants = {{.name = "serial"}, {.name = "cuda-naive"}, {.name = "fftw"}};
  return all;
}

std::vector<std::string> chosen(const std::vector<std::string>& names, const RunOptions& options) {
  const std::vector<Application> all = two();
  std::vector<std::string> found;
  for (const Application* a : suite_applications(all, names, options)) found.push_back(a->name);
  return found;
}

using Names = std::vector<std::string>;

TEST(SessionSuite, HasAllApplicationsOrThoseThatAreNamed) {
  EXPECT_EQ(chosen({}, {}), (Names{"heat", "waves"}));
  EXPECT_EQ(chosen({"waves"}, {}), (Names{"waves"}));
}

TEST(SessionSuite, LeavesApplicationsWithoutASelectedVariantOut) {
  RunOptions options;
  options.variants = "fft*";
  EXPECT_EQ(chosen({}, options), (Names{"waves"}));
  EXPECT_THROW(chosen({"heat"}, options), UsageError);
}

TEST(SessionSuite, RefusesSettingsOfAnUnknownApplication) {
  RunOptions options;
  options.settings = {"heat.n=3", "n=4"};
  EXPECT_NO_THROW(chosen({}, options));
  options.settings = {"heart.n=3"};
  EXPECT_THROW(chosen({}, options), std::invalid_argument);
}

TEST(SessionSuite, HeadlinesAreOneCoreAllCoresAndTheBestOfTheGpu) {
  EXPECT_EQ(headline_variants(two()[0]), "serial,openmp,cuda");
  EXPECT_EQ(headline_variants(two()[1]), "serial,cuda*") << "no variant is called the best";
}

TEST(SessionLadder, KeepsStepsInTheirOrder) {
  const Application application{.name = "heat"};
  const harness::Variant serial{.name = "serial"}, naive{.name = "cuda-naive", .role = harness::Role::step},
      best{.name = "cuda", .role = harness::Role::best},
      multi{.name = "multi", .backend = harness::Backend::multi, .role = harness::Role::step};
  const std::vector<Job> all = {{&application, {}, {&serial, &naive, &best, &multi}}};
  const auto steps = [&](const RunOptions& options) {
    std::vector<Job> jobs = all;
    keep_ladder_steps(jobs, options);
    Names names;
    for (const harness::Variant* v : jobs.front().variants) names.push_back(v->name);
    return names;
  };
  RunOptions selected;
  selected.variants = "*";
  EXPECT_EQ(steps({}), (Names{"cuda-naive", "cuda"}));
  EXPECT_EQ(steps(selected), (Names{"cuda-naive", "cuda", "multi"}));
  std::vector<Job> none = {{&application, {}, {&serial}}};
  EXPECT_THROW(keep_ladder_steps(none, {}), UsageError);
}

}  // namespace
}  // namespace speedwell::session

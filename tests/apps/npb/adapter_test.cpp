// The application as the harness sees it: its table, its sizes, what it refuses, and the life of every host run.
#include "speedwell/apps/npb/adapter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/harness/problems.hpp"
#include "tests/support/faulty_run.hpp"

namespace speedwell::npb {
namespace {

harness::Problem problem(const std::string& setting) {
  const harness::Application app = application();
  return harness::problems(app, {.name = "none"}, {harness::parse_setting(app, setting)}, 1).at(0);
}

TEST(NpbApplication, HasTheUsualSizesAndTheClasses) {
  const harness::Application app = application();
  std::set<std::string> sizes;
  for (const harness::Size& size : app.sizes) {
    sizes.insert(size.name);
    for (const harness::Problem& p : harness::problems(app, size, {}, 1)) EXPECT_NO_THROW(app.work(p));
  }
  for (const char* name : {"test", "small", "standard", "large", "S", "W", "A", "B", "C", "D", "E", "F"})
    EXPECT_TRUE(sizes.count(name)) << name;
}

TEST(NpbApplication, RefusesClassesAndKernelsThatThereAreNot) {
  for (const char* setting : {"class=G", "class=s", "class=", "kernel=xx"})
    EXPECT_THROW(problem(setting), std::invalid_argument) << setting;
}

TEST(NpbApplication, CountsTheBenchmarksOperations) {
  const harness::Application app = application();
  const harness::Work work = app.work(problem("class=D"));
  EXPECT_EQ(work.updates, std::ldexp(1.0, 37));
  EXPECT_NEAR(work.operations / std::ldexp(1.0, 36), 5 + 26 * 0.785398, 1e-3);
  EXPECT_EQ(work.arithmetic, harness::Arithmetic::f64);
}

TEST(NpbApplication, HasTheTitleOfTheReport) {
  const harness::NpbTitle title = application().npb_title(problem("class=A"));
  EXPECT_EQ(title.name, "EP");
  EXPECT_EQ(title.problem_class, "A");
  EXPECT_EQ(title.size, "536870912");
  EXPECT_EQ(title.iterations, 0);
  EXPECT_EQ(title.operation, "Random numbers generated");
}

TEST(NpbApplication, HostRunsPassAndPlantedFaultsFail) {
  const harness::Application app = application();
  const auto prepared = app.prepare(problem("class=S")), other = app.prepare(problem("class=W"));
  for (const std::string name : {"serial", "openmp"}) {
    const harness::Variant& variant = *harness::select_variants(app, name).at(0);
    EXPECT_TRUE(test::passes(variant, test::Fault::none, prepared, other)) << name;
    if (name == "serial") continue;  // slower, and the faults are planted in the same Answer
    for (const test::Fault fault : test::all_faults())
      EXPECT_FALSE(test::passes(variant, fault, prepared, other)) << name << ": " << test::to_string(fault);
  }
}

}  // namespace
}  // namespace speedwell::npb

// The application as the harness sees it: its table, its sizes, and the life of every host run.
#include "speedwell/apps/uts/adapter.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "speedwell/apps/uts/tree.hpp"
#include "tests/apps/lifecycle.hpp"
#include "tests/support/faulty_run.hpp"

namespace speedwell::uts {
namespace {

harness::Problem problem(const harness::Application& app, const std::vector<harness::Setting>& settings) {
  return harness::problem_with(app, settings);
}

TEST(UtsApplication, HasItsRowsAndSizes) {
  const harness::Application app = application();
  std::set<std::string> names;
  for (const harness::Variant& v : app.variants) {
    names.insert(v.name);
    EXPECT_FALSE(v.description.empty()) << v.name;
  }
  for (const char* name : {"serial", "openmp", "mpi", "cuda-levels", "cuda"}) EXPECT_TRUE(names.count(name)) << name;
  std::set<std::string> keys, sizes;
  for (const harness::Parameter& p : app.parameters) keys.insert(p.key);
  for (const harness::Size& size : app.sizes) {
    sizes.insert(size.name);
    for (const auto& s : size.settings) EXPECT_TRUE(keys.count(s.key)) << size.name << " " << s.key;
    for (const auto& s : size.sweeps) EXPECT_TRUE(keys.count(s.key)) << size.name << " " << s.key;
  }
  for (const char* name : {"test", "small", "standard", "large", "huge", "curve", "crossover"})
    EXPECT_TRUE(sizes.count(name)) << name;
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
  const auto run = harness::lived(app, harness::row(app, "serial"), same);
  EXPECT_EQ(run->verify().oracle.find("published counts"), 0u);
  EXPECT_TRUE(run->verify().passed);
}

TEST(UtsRows, PassOnTheHost) {
  const harness::Application app = application();
  for (const char* name : {"serial", "openmp"})
    for (const char* tree : {"default", "dissertation-geometric"}) {
      const auto run = harness::lived(app, harness::row(app, name), problem(app, {{"tree", std::string(tree)}}));
      const core::Verdict verdict = run->verify();
      EXPECT_TRUE(verdict.passed) << name << " " << tree;
      EXPECT_TRUE(run->verify().passed) << "verdicts change nothing";
      EXPECT_EQ(run->choices().at(0).first, "hash");
    }
}

TEST(UtsRows, FailWithAFault) {
  const harness::Application app = application();
  const auto prepared = app.prepare(problem(app, {{"tree", std::string("default")}}));
  const auto other = app.prepare(problem(app, {{"tree", std::string("default")}, {"root_seed", std::int64_t{9}}}));
  for (const char* name : {"serial", "openmp"}) {
    EXPECT_TRUE(test::passes(harness::row(app, name), test::Fault::none, prepared, other)) << name;
    for (const test::Fault fault : test::all_faults())
      EXPECT_FALSE(test::passes(harness::row(app, name), fault, prepared, other)) << name << " " << to_string(fault);
  }
}

}  // namespace
}  // namespace speedwell::uts

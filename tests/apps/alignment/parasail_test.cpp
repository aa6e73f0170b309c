// Parasail with scorings other than the usual ones.
#include <gtest/gtest.h>

#include "speedwell/apps/alignment/adapter.hpp"
#include "tests/apps/lifecycle.hpp"

namespace speedwell::alignment {
namespace {

using harness::Setting;

TEST(Parasail, TakesTheSameScorings) {
  harness::Application app = application();
  harness::bind_variants(app, parasail_runs());
  const harness::Variant& parasail = harness::row(app, "parasail");
  const std::vector<std::vector<Setting>> scorings = {
      {{"alphabet", std::string("dna")}},
      {{"alphabet", std::string("dna")}, {"matrix", std::string("50/-40")}},
      {{"matrix", std::string("PAM30")}, {"gap_open", std::int64_t{9}}},
      {{"related", 1.0}}};
  for (std::vector<Setting> settings : scorings) {
    settings.insert(
        settings.end(),
        {{"queries", std::int64_t{5}}, {"subjects", std::int64_t{90}}, {"mean_length", 60.0}, {"related", 0.1}});
    const harness::Problem problem = harness::problem_with(app, settings);
    EXPECT_FALSE(parasail.unsupported_reason(problem));
    EXPECT_TRUE(harness::completed_run(app, parasail, problem)->verify().passed)
        << problem.get<std::string>("alphabet") << " " << problem.get<std::string>("matrix");
  }
}

}  // namespace
}  // namespace speedwell::alignment

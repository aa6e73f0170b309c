// The bytes that the application counts, and what it refuses.
#include "speedwell/apps/two_stream/adapter.hpp"

#include <gtest/gtest.h>

#include "speedwell/apps/two_stream/ladder.hpp"
#include "tests/apps/lifecycle.hpp"

namespace speedwell::two_stream {
namespace {

using Settings = std::vector<harness::Setting>;

harness::Problem problem(Settings settings, std::uint64_t seed = 1) {
  for (const auto& [key, value] : {std::pair<const char*, std::int64_t>{"columns", 37}, {"layers", 9}, {"points", 5}})
    settings.push_back({key, value});
  return harness::problem_with(application(), settings, seed);
}

TEST(TwoStreamApplication, CountsWhatWaitsBetweenPasses) {
  const harness::Application app = application();
  const double all = 37 * 9 * 5;
  const auto extra = [&](const char* row, const char* source, const char* planck = "linear") {
    const harness::Problem p =
        problem({{"kernel", std::string("column")}, {"source", std::string(source)}, {"planck", std::string(planck)}});
    const harness::Work own = harness::row(app, row).work(p), best = app.work(p);
    return std::pair((own.bytes_read - best.bytes_read) / (8 * all),
                     (own.bytes_written - best.bytes_written) / (8 * all));
  };
  EXPECT_EQ(extra("cuda", "sun"), std::pair(4.0, 4.0));
  EXPECT_EQ(extra("cuda", "thermal"), std::pair(4.0, 4.0));
  EXPECT_EQ(extra("cuda-separate", "sun"), std::pair(12.0, 12.0));
  EXPECT_EQ(extra("cuda-separate", "thermal"), std::pair(11.0, 10.0));
  EXPECT_EQ(extra("cuda-separate", "thermal", "quadratic"), std::pair(12.0, 10.0));
  const harness::Problem coefficients = problem({{"kernel", std::string("coefficients")}});
  EXPECT_TRUE(harness::row(app, "cuda-isolated").work(coefficients).over_link);
  EXPECT_EQ(harness::row(app, "cuda").work(coefficients).bytes_read, app.work(coefficients).bytes_read);
}

TEST(TwoStreamApplication, CountsTheBytesOfTheSpecification) {
  const harness::Application app = application();
  const double all = 37 * 9 * 5;
  // Three values in and five out of every layer.
  const auto coefficients = app.work(problem({{"kernel", std::string("coefficients")}}));
  EXPECT_EQ(coefficients.bytes_read + coefficients.bytes_written, 64 * all + 8 * 37);
  EXPECT_EQ(coefficients.updates, all);
  // Columns write fluxes of levels alone.
  const auto columns = app.work(problem({}));
  EXPECT_EQ(columns.bytes_read, 24 * all + 8 * (3 * 37 * 5 + 37));
  EXPECT_EQ(columns.bytes_written, 8.0 * 3 * 37 * 10);
}

TEST(TwoStreamApplication, RefusesProblemsBeforeAnythingIsAllocated) {
  const harness::Application app = application();
  const std::int64_t many = std::int64_t{1} << 40;
  EXPECT_THROW(app.footprint(harness::problem_with(app, {{"columns", many}, {"layers", many}})), std::invalid_argument);
  const auto p = problem({{"kernel", std::string("coefficients")}});
  EXPECT_TRUE(harness::row(app, "cuda-separate").unsupported_reason(p));
  EXPECT_FALSE(harness::row(app, "cuda-separate").unsupported_reason(problem({})));
}

}  // namespace
}  // namespace speedwell::two_stream

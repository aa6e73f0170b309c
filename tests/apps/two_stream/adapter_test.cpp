// The bytes that the application counts, and what it refuses.
#include "speedwell/apps/two_stream/adapter.hpp"

#include <gtest/gtest.h>

#include "speedwell/apps/two_stream/ladder.hpp"
#include "speedwell/apps/two_stream/problem.hpp"
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

TEST(TwoStreamApplication, CountsThreeRegionsBelowTheTopOfTheClouds) {
  const harness::Application app = application();
  const auto p = problem({{"kernel", std::string("triple")}});
  const double top = static_cast<double>(cloud_top({.kernel = Kernel::triple, .layers = 9})), cloudy = 9 - top;
  ASSERT_GT(cloudy, 0);
  const auto clear = app.work(problem({})), work = app.work(p);
  EXPECT_EQ(work.updates, clear.updates);
  // Three properties of two regions at each point, and two fractions.
  EXPECT_EQ(work.bytes_read - clear.bytes_read, 8 * 37 * cloudy * (6 * 5 + 2));
  EXPECT_EQ(work.bytes_written, clear.bytes_written);
  // The coefficients of three regions and what couples them: between three and six times the operations.
  const double more = (work.operations - clear.operations) / clear.operations * 9 / cloudy;
  EXPECT_GT(more, 2);
  EXPECT_LT(more, 5);
  const auto cuda = harness::row(app, "cuda").work(p);
  EXPECT_EQ(cuda.bytes_read - work.bytes_read, 8 * 37 * 5 * (4 * top + 16 * cloudy));
  EXPECT_EQ(cuda.bytes_written - work.bytes_written, 8 * 37 * 5 * (4 * top + 16 * cloudy));
  // Clouds above the top are in memory, but not read.
  EXPECT_GE(app.footprint(p).host_bytes - app.footprint(problem({})).host_bytes, 8 * 37 * 9 * (6 * 5 + 2));
}

TEST(TwoStreamApplication, RefusesProblemsBeforeAnythingIsAllocated) {
  const harness::Application app = application();
  const std::int64_t many = std::int64_t{1} << 40;
  EXPECT_THROW(app.footprint(harness::problem_with(app, {{"columns", many}, {"layers", many}})), std::invalid_argument);
  const auto p = problem({{"kernel", std::string("coefficients")}});
  EXPECT_TRUE(harness::row(app, "cuda-separate").unsupported_reason(p));
  EXPECT_FALSE(harness::row(app, "cuda-separate").unsupported_reason(problem({})));
  for (const char* row : {"cuda-isolated", "cuda-resident", "cuda-separate"})
    EXPECT_EQ(harness::row(app, row).unsupported_reason(problem({{"kernel", std::string("triple")}})),
              std::string("kernel=triple has no ") + row);
}

}  // namespace
}  // namespace speedwell::two_stream

// The work that operations and their chains count, and what the application refuses.
#include "speedwell/apps/vector_calculus/adapter.hpp"

#include <gtest/gtest.h>

#include "speedwell/apps/vector_calculus/operations/operation.hpp"
#include "tests/apps/lifecycle.hpp"

namespace speedwell::vector_calculus {
namespace {

using harness::Setting;

harness::Problem problem(std::vector<Setting> settings, std::uint64_t seed = 1) {
  // The first of a key counts.
  for (const auto& [key, points] : {std::pair{"nx", 17}, std::pair{"ny", 5}, std::pair{"nz", 9}})
    settings.push_back({key, std::int64_t{points}});
  return harness::problem_with(application(), settings, seed);
}
std::string word(std::string_view text) { return std::string(text); }

// The table of the specification: bytes and operations a point in f64.
TEST(VectorCalculusApplication, CountsTheWorkOfEveryOperation) {
  const harness::Application app = application();
  const double n = 17 * 5 * 9;
  const std::tuple<const char*, double, double> table[] = {
      {"add", 72, 3},      {"scale", 48, 3},     {"grad", 32, 6},     {"div", 32, 8},   {"curl", 48, 15},
      {"dot", 56, 5},      {"cross", 72, 9},     {"norm2", 32, 5},    {"mul", 24, 1},   {"lincomb4", 120, 21},
      {"axpy", 72, 6},     {"fscale", 56, 3},    {"advect", 40, 11},  {"flux", 40, 14}, {"area", 56, 14},
      {"lorentz", 48, 24}, {"helicity", 56, 29}, {"momentum", 88, 42}};
  for (const auto& [name, bytes, flops] : table) {
    const harness::Work work = app.work(problem({{"operation", word(name)}}));
    EXPECT_EQ((work.bytes_read + work.bytes_written) / n, bytes) << name;
    EXPECT_EQ(work.operations / n, flops) << name;
    const harness::Work half = app.work(problem({{"operation", word(name)}, {"precision", word("f32")}}));
    EXPECT_EQ((half.bytes_read + half.bytes_written) / n, bytes / 2) << name;
  }
  for (int o = 0; o < static_cast<int>(std::size(operations)); ++o)
    EXPECT_EQ(static_cast<int>(operations[o].operation), o);  // info() counts on it
}

TEST(VectorCalculusApplication, CountsChainsOneAfterTheOtherInUnfusedRows) {
  const harness::Application app = application();
  const double n = 17 * 5 * 9;
  const std::pair<const char*, double> table[] = {{"flux", 88},     {"laplacian", 64}, {"curl_grad", 80}, {"area", 104},
                                                  {"lorentz", 120}, {"helicity", 176}, {"momentum", 400}};
  for (const auto& [name, bytes] : table)
    for (const char* row : {"openmp-unfused", "cuda-unfused"}) {
      const harness::Work work = harness::row(app, row).work(problem({{"operation", word(name)}}));
      EXPECT_EQ((work.bytes_read + work.bytes_written) / n, bytes) << name << " " << row;
    }
  const harness::Work scaled = harness::row(app, "cublas").work(problem({{"operation", word("scale")}}));
  EXPECT_EQ((scaled.bytes_read + scaled.bytes_written) / n, 96) << "a copy and scal";
  EXPECT_FALSE(harness::row(app, "cublas").work(problem({{"operation", word("dot")}})).no_limit.empty());
}

TEST(VectorCalculusApplication, RefusesWhatDoesNotGoTogether) {
  const harness::Application app = application();
  EXPECT_THROW(app.footprint(problem({{"operation", word("curl")}, {"nz", std::int64_t{2}}})), std::invalid_argument);
  EXPECT_NO_THROW(app.footprint(problem({{"operation", word("cross")}, {"nz", std::int64_t{1}}})));
  EXPECT_THROW(app.footprint(problem({{"dx", 0.0}})), std::invalid_argument);
  EXPECT_THROW(app.footprint(problem({{"n", std::int64_t{1} << 20}})), std::invalid_argument);
  EXPECT_THROW(app.prepare(problem({{"dy", 0.3}, {"values", word("integers")}})), std::invalid_argument);
  const auto refusal = [&](const char* row, std::vector<Setting> settings) {
    return harness::row(app, row).unsupported_reason(problem(std::move(settings))).value_or("");
  };
  EXPECT_EQ(refusal("cublas", {{"operation", word("curl")}}), "curl with layout=aos has no cublas");
  EXPECT_NE(refusal("cublas", {{"operation", word("dot")}, {"n", std::int64_t{128}}}), "");
  EXPECT_EQ(refusal("cublas", {{"operation", word("dot")}}), "");
  EXPECT_NE(refusal("cuda-naive", {{"operation", word("curl")}, {"layout", word("soa")}}), "");
  EXPECT_NE(refusal("cuda-naive", {{"operation", word("momentum")}}), "");
  EXPECT_NE(refusal("cuda-planes", {{"operation", word("div")}}), "");
  EXPECT_EQ(refusal("cuda-planes", {{"operation", word("grad")}}), "");
}

}  // namespace
}  // namespace speedwell::vector_calculus

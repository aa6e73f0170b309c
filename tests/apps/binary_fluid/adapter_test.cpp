// The bytes that variants of the application count, and what it refuses.
#include "speedwell/apps/binary_fluid/adapter.hpp"

#include <gtest/gtest.h>

#include "tests/apps/lifecycle.hpp"

namespace speedwell::binary_fluid {
namespace {

using harness::Setting;

harness::Problem problem(std::vector<Setting> settings = {}) {
  std::vector<Setting> all = {
      {"nx", std::int64_t{19}}, {"ny", std::int64_t{5}}, {"nz", std::int64_t{7}}, {"steps", std::int64_t{3}}};
  all.insert(all.begin(), settings.begin(), settings.end());
  return harness::problem_with(application(), all);
}

TEST(BinaryFluidApplication, CountsTheBytesOfEveryVariant) {
  const harness::Application app = application();
  const auto bytes = [&](const harness::Work& w) { return (w.bytes_read + w.bytes_written) / w.updates; };
  const auto of = [&](const char* row, std::vector<Setting> settings = {}) {
    return bytes(harness::row(app, row).work(problem(std::move(settings))));
  };
  EXPECT_EQ(bytes(app.work(problem())), 240) << "fifteen moments, read and written";
  EXPECT_EQ(bytes(app.work(problem({{"walls", std::string("z")}}))), 608) << "in place";
  EXPECT_EQ(of("openmp"), 8 * (2 * 41 + 74) / 3.0) << "two steps, and the way in";
  EXPECT_EQ(of("openmp", {{"walls", std::string("z")}}), 608);
  EXPECT_EQ(of("openmp-in-place"), 608);
  EXPECT_EQ(of("openmp-in-place", {{"precision", std::string("f32")}}), 304);
  EXPECT_EQ(of("cuda-in-place"), 776);
  EXPECT_EQ(of("cuda-in-place", {{"precision", std::string("mixed")}}), 95 * 4 + 2 * 8);
  EXPECT_EQ(of("cuda-resident"), 776 + 608);
  EXPECT_NEAR(of("cuda"), 8 * (2 * 41 + 74 + 53) / 3.0, 1e-9) << "two steps, and the way in and out";
  EXPECT_EQ(of("cuda", {{"walls", std::string("z")}}), 776);
  const harness::Work sent = harness::row(app, "cuda-ported").work(problem());
  EXPECT_TRUE(sent.over_link);
  EXPECT_EQ(sent.bytes_read, 3.0 * 21 * 7 * 9 * 45 * 8);
  EXPECT_EQ(sent.bytes_written, 3.0 * 21 * 7 * 9 * 41 * 8);
  EXPECT_EQ(harness::row(app, "cuda-coalesced").work(problem()).bytes_read, 3.0 * 32 * 5 * 7 * 42 * 8);
}

TEST(BinaryFluidApplication, RefusesWhatCannotBe) {
  const harness::Application app = application();
  for (const Setting& setting : std::vector<Setting>{{"nx", std::int64_t{2}},
                                                     {"viscosity", 0.0},
                                                     {"mobility", -1.0},
                                                     {"kappa", 0.0},
                                                     {"b", 0.0},
                                                     {"c", 0.5},
                                                     {"force_x", 2.0},
                                                     {"stirring", 0.5},
                                                     {"start", std::string("droplet")},
                                                     {"energy", std::string("brazovskii")}})
    EXPECT_THROW(app.footprint(problem({setting})), std::invalid_argument) << setting.key;
}

TEST(BinaryFluidApplication, GpuRowsSayWhatTheyDoNotDo) {
  const harness::Application app = application();
  const auto unsupported_reason = [&](const std::string& row, const Setting& setting) {
    return harness::row(app, row).unsupported_reason(problem({setting})).value_or("");
  };
  EXPECT_EQ(unsupported_reason("cuda", {"walls", std::string("z")}), "");
  EXPECT_EQ(unsupported_reason("cuda", {"collision", std::string("trt")}), "");
  EXPECT_NE(unsupported_reason("cuda-ported", {"walls", std::string("z")}), "");
  EXPECT_NE(unsupported_reason("cuda-coalesced", {"precision", std::string("mixed")}), "");
}

}  // namespace
}  // namespace speedwell::binary_fluid

// The application as the harness sees it: its table, its sizes, and the life of every host run.
#include "speedwell/apps/binary_fluid/adapter.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/apps/lifecycle.hpp"
#include "tests/support/faulty_run.hpp"

namespace speedwell::binary_fluid {
namespace {

using harness::Setting;

harness::Problem problem(std::vector<Setting> settings = {}) {
  std::vector<Setting> all = {
      {"nx", std::int64_t{19}}, {"ny", std::int64_t{5}}, {"nz", std::int64_t{7}}, {"steps", std::int64_t{3}}};
  all.insert(all.begin(), settings.begin(), settings.end());
  return harness::problem_with(application(), all);
}

TEST(BinaryFluidApplication, EveryRowAndSizeIsNamedOnceAndSetsOnlyWhatThereIs) {
  const harness::Application app = application();
  std::set<std::string> names, keys, named;
  for (const harness::Variant& v : app.variants) {
    EXPECT_TRUE(names.insert(v.name).second) << v.name;
    EXPECT_FALSE(v.description.empty()) << v.name;
  }
  for (const harness::Parameter& p : app.parameters) keys.insert(p.key);
  for (const harness::Size& size : app.sizes) {
    named.insert(size.name);
    for (const auto& s : size.settings) EXPECT_TRUE(keys.count(s.key)) << size.name << " " << s.key;
    for (const auto& s : size.sweeps) EXPECT_TRUE(keys.count(s.key)) << size.name << " " << s.key;
  }
  for (const char* name : {"test", "small", "standard", "large"}) EXPECT_TRUE(named.count(name)) << name;
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

TEST(BinaryFluidApplication, HostRunsPassAndPlantedFaultsFail) {
  const harness::Application app = application();
  for (const char* precision : {"f64", "f32", "mixed"})
    for (const harness::Variant& row : app.variants) {
      if (!row.make || row.backend == harness::Backend::cuda) continue;
      const Setting chosen = {"precision", std::string(precision)};
      const core::Verdict verdict = harness::lived(app, row, problem({chosen}))->verify();
      EXPECT_TRUE(verdict.passed) << row.name << ": " << verdict.error << " " << verdict.oracle;
      EXPECT_FALSE(harness::lived(app, row, problem({chosen}), false)->verify().passed) << row.name;
      for (const test::Fault fault : test::all_faults()) {
        const auto prepared = app.prepare(problem({chosen})), other = app.prepare(problem({chosen, {"phi0", 0.2}}));
        test::FaultyRun faulty(row.make(prepared, {.threads = 1}), fault, row.make(other, {.threads = 1}));
        faulty.allocate();
        faulty.reset();
        faulty.poison();
        faulty.execute();
        faulty.synchronize();
        faulty.download();
        EXPECT_FALSE(faulty.verify().passed) << row.name << ": " << test::to_string(fault);
      }
    }
}

}  // namespace
}  // namespace speedwell::binary_fluid

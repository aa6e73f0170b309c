// The application as the harness sees it: its table, its sizes, and the life of every host run.
#include "speedwell/apps/vector_calculus/adapter.hpp"

#include <gtest/gtest.h>

#include <set>

#include "speedwell/apps/vector_calculus/operation.hpp"
#include "tests/apps/lifecycle.hpp"
#include "tests/support/faulty_run.hpp"

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

TEST(VectorCalculusApplication, EveryRowAndSizeIsNamedOnceAndSetsOnlyWhatThereIs) {
  const harness::Application app = application();
  std::set<std::string> names, keys, sizes;
  for (const harness::Variant& v : app.variants) {
    EXPECT_TRUE(names.insert(v.name).second) << v.name;
    EXPECT_FALSE(v.description.empty()) << v.name;
  }
  for (const harness::Parameter& p : app.parameters) keys.insert(p.key);
  for (const harness::Size& size : app.sizes) {
    sizes.insert(size.name);
    for (const auto& s : size.settings) EXPECT_TRUE(keys.count(s.key)) << size.name << " " << s.key;
    for (const auto& s : size.sweeps) EXPECT_TRUE(keys.count(s.key)) << size.name << " " << s.key;
  }
  for (const char* name : {"test", "small", "standard", "large", "study", "crossover"})
    EXPECT_TRUE(sizes.count(name)) << name;
}

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

TEST(VectorCalculusApplication, HostRunsPassAndPlantedFaultsFail) {
  const harness::Application app = application();
  for (const OperationInfo& of : operations)
    for (const char* layout : {"aos", "soa"})
      for (const char* values : {"integers", "random"})
        for (const char* precision : {"f64", "f32"})
          for (const harness::Variant& row : app.variants) {
            const std::vector<Setting> settings = {{"operation", word(of.name)},
                                                   {"layout", word(layout)},
                                                   {"values", word(values)},
                                                   {"precision", word(precision)}};
            if (!row.make || row.backend == harness::Backend::cuda) continue;
            if (row.unsupported_reason && row.unsupported_reason(problem(settings))) continue;
            const core::Verdict verdict = harness::lived(app, row, problem(settings))->verify();
            EXPECT_TRUE(verdict.passed) << row.name << " " << of.name << " " << values << " " << precision << ": "
                                        << verdict.error << " > " << verdict.tolerance;
            EXPECT_FALSE(harness::lived(app, row, problem(settings), false)->verify().passed)
                << row.name << " " << of.name;
            // Rounding leaves 0 of it: an answer to other data is as right.
            if (of.operation == Operation::curl_grad) continue;
            for (const test::Fault fault : test::all_faults()) {
              test::FaultyRun faulty(row.make(app.prepare(problem(settings)), {.threads = 1}), fault,
                                     row.make(app.prepare(problem(settings, 7)), {.threads = 1}));
              faulty.allocate();
              faulty.upload();
              faulty.poison();
              faulty.execute();
              faulty.synchronize();
              faulty.download();
              EXPECT_FALSE(faulty.verify().passed) << row.name << " " << of.name << ": " << test::to_string(fault);
            }
          }
}

}  // namespace
}  // namespace speedwell::vector_calculus

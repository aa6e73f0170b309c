// The application as the harness sees it: its table, its sizes, and the life of every host run.
#include "speedwell/apps/two_stream/adapter.hpp"

#include <gtest/gtest.h>

#include <set>

#include "speedwell/apps/two_stream/ladder.hpp"
#include "tests/apps/lifecycle.hpp"
#include "tests/support/faulty_run.hpp"

namespace speedwell::two_stream {
namespace {

using Settings = std::vector<harness::Setting>;

harness::Problem problem(Settings settings, std::uint64_t seed = 1) {
  for (const auto& [key, value] : {std::pair<const char*, std::int64_t>{"columns", 37}, {"layers", 9}, {"points", 5}})
    settings.push_back({key, value});
  return harness::problem_with(application(), settings, seed);
}

TEST(TwoStreamApplication, NamesAreUniqueAndSizesSetParametersThatExist) {
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
  for (const char* name : {"test", "small", "standard", "large", "segment", "rrtmgp", "crossover"})
    EXPECT_TRUE(sizes.count(name)) << name;
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

TEST(TwoStreamApplication, HostRunsPassAndPlantedFaultsFail) {
  const harness::Application app = application();
  for (const char* precision : {"f64", "f32"})
    for (const char* kernel : {"column", "coefficients"})
      for (const char* source : {"sun", "thermal"}) {
        const Settings settings = {{"precision", std::string(precision)},
                                   {"kernel", std::string(kernel)},
                                   {"source", std::string(source)},
                                   {"planck", std::string("quadratic")}};
        const auto prepared = app.prepare(problem(settings)), other = app.prepare(problem(settings, 2));
        for (const char* name : {"serial", "openmp"})
          for (int f = -1; f < static_cast<int>(test::all_faults().size()); ++f) {
            const auto fault = f < 0 ? test::Fault::none : test::all_faults()[f];
            const auto make = [&](const auto& c) { return harness::row(app, name).make(c, {.threads = 2}); };
            test::FaultyRun run(make(prepared), fault, make(other));
            run.allocate();
            run.upload();
            run.poison();
            run.execute();
            run.synchronize();
            run.download();
            EXPECT_EQ(run.verify().passed, fault == test::Fault::none)
                << name << " " << precision << " " << kernel << " " << source << ": " << test::to_string(fault);
          }
      }
}

}  // namespace
}  // namespace speedwell::two_stream

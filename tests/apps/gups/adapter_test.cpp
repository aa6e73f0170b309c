// The application as the harness sees it: its table, its sizes, and the life of every host run.
#include "speedwell/apps/gups/adapter.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "speedwell/apps/gups/verify.hpp"
#include "tests/apps/lifecycle.hpp"
#include "tests/support/faulty_run.hpp"

namespace speedwell::gups {
namespace {

harness::Problem problem(std::int64_t words, std::int64_t each = 4, const std::string& rule = "any") {
  return {"gups", "test", {{"words", words}, {"updates_per_word", each}, {"rule", rule}}, 1};
}
const std::vector<std::string> host_rows = {"serial", "openmp-atomic", "openmp"};

TEST(GupsApplication, HasItsRowsAndSizes) {
  const harness::Application app = application();
  std::vector<std::string> names;
  for (const harness::Variant& v : app.variants) {
    names.push_back(v.name);
    EXPECT_FALSE(v.description.empty()) << v.name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"serial", "openmp-atomic", "openmp", "mpi", "cuda-atomic", "cuda-windows",
                                             "cuda-regions", "cuda-binned", "cuda"}));
  std::set<std::string> keys, sizes;
  for (const harness::Parameter& p : app.parameters) keys.insert(p.key);
  for (const harness::Size& size : app.sizes) {
    sizes.insert(size.name);
    for (const auto& s : size.settings) EXPECT_TRUE(keys.count(s.key)) << size.name << " " << s.key;
    for (const auto& s : size.sweeps) EXPECT_TRUE(keys.count(s.key)) << size.name << " " << s.key;
  }
  for (const char* name : {"test", "small", "standard", "large", "huge", "weak", "curve", "crossover"})
    EXPECT_TRUE(sizes.count(name)) << name;
}

TEST(GupsApplication, CountsWorkAndMemory) {
  const harness::Application app = application();
  const harness::Work work = app.work(problem(1 << 25));
  EXPECT_EQ(work.updates, 134217728.0);
  EXPECT_EQ(work.operations, 6 * 134217728.0);
  EXPECT_EQ(work.bytes_read + work.bytes_written, 20 * work.updates) << "sorted once";
  EXPECT_EQ(app.footprint(problem(1 << 25)).host_bytes, 8.0 * (1 << 25));
  EXPECT_THROW(app.footprint(problem(3 << 20)), std::invalid_argument);
  const auto device = harness::row(app, "cuda-binned").footprint(problem(1 << 25)).device_bytes;
  EXPECT_GT(device, 8.0 * 5 * (1 << 25)) << "the table and its updates";
  EXPECT_LT(device, 8.0 * 5.3 * (1 << 25));
}

TEST(GupsApplication, CountsTheBytesOfEveryVariant) {
  const harness::Application app = application();
  const auto of = [&](const char* row, std::int64_t words) { return harness::row(app, row).work(problem(words)); };
  const auto bytes = [&](const char* row, std::int64_t words) {
    const harness::Work work = of(row, words);
    return (work.bytes_read + work.bytes_written) / work.updates;
  };
  EXPECT_EQ(bytes("serial", 1 << 25), 128);
  EXPECT_EQ(bytes("openmp-atomic", 1 << 25), 128);
  EXPECT_EQ(bytes("mpi", 1 << 25), 128);
  EXPECT_EQ(bytes("openmp", 1 << 25), 32) << "the table once for each of four batches";
  EXPECT_EQ(bytes("cuda-atomic", 1 << 25), 64);
  EXPECT_EQ(bytes("cuda-windows", 1 << 25), 4);
  EXPECT_EQ(bytes("cuda-regions", 1 << 25), 4);
  EXPECT_EQ(bytes("cuda-binned", 1 << 25), 20);
  EXPECT_EQ(bytes("cuda-binned", 1 << 26), 36);
  EXPECT_EQ(bytes("cuda", 1 << 29), 36);
  EXPECT_EQ(of("cuda-windows", 1 << 25).operations, (8 * 4 + 2) * of("cuda", 1 << 25).updates);
  EXPECT_EQ(of("cuda-regions", 1 << 18).operations, (16 * 4 + 2) * of("cuda", 1 << 18).updates);
  EXPECT_FALSE(of("cuda-windows", 1 << 25).no_limit.empty()) << "no ceiling of atomic operations in a cache";
  EXPECT_FALSE(of("cuda-atomic", 1 << 22).no_limit.empty());
  EXPECT_TRUE(of("cuda-atomic", 1 << 25).no_limit.empty());
  EXPECT_EQ(of("openmp", 1 << 25).operations, 10 * of("openmp", 1 << 25).updates);
}

TEST(GupsApplication, RefusesRowsThatDoNotKeepTheRule) {
  const harness::Application app = application();
  const auto refused = [&](const char* name, std::int64_t words, const char* rule) {
    const auto& refuses = harness::row(app, name).unsupported_reason;
    return refuses && refuses(problem(words, 4, rule)).has_value();
  };
  EXPECT_FALSE(refused("openmp", 1024, "any"));
  EXPECT_TRUE(refused("openmp", 1024, "thread"));
  EXPECT_TRUE(refused("openmp", 1024, "process"));
  EXPECT_FALSE(refused("openmp-atomic", 1024, "process"));
  EXPECT_FALSE(refused("cuda-atomic", 1 << 25, "process"));
  EXPECT_FALSE(refused("cuda-regions", 1 << 25, "process"));
  EXPECT_FALSE(refused("cuda-binned", 1 << 25, "thread"));
  EXPECT_TRUE(refused("cuda-binned", 1 << 25, "process"));
  EXPECT_TRUE(refused("cuda", 1 << 25, "process"));
  EXPECT_FALSE(refused("cuda", 1024, "process"));
  const auto& ranks = harness::row(app, "mpi").unsupported_ranks_reason;
  EXPECT_FALSE(ranks(problem(1024, 4, "process"), 512).has_value());
  EXPECT_TRUE(ranks(problem(1024, 4, "process"), 513).has_value());
}

TEST(GupsRows, PassOnTheHostForAnyRuleThatTheyKeep) {
  const harness::Application app = application();
  for (const std::string& name : host_rows)
    for (const char* rule : {"any", "thread", "process"})
      for (const std::int64_t words : {1, 2, 1024, 1 << 17}) {
        const harness::Variant& variant = harness::row(app, name);
        const harness::Problem p = problem(words, 3, rule);
        if (variant.unsupported_reason && variant.unsupported_reason(p)) continue;
        const auto run = harness::lived(app, variant, p);
        const core::Verdict verdict = run->verify();
        EXPECT_TRUE(verdict.passed) << name << " " << words << " " << rule;
        EXPECT_EQ(verdict.error, 0);
        EXPECT_TRUE(run->verify().passed) << "verdicts change nothing";
        ASSERT_FALSE(run->choices().empty());
        EXPECT_EQ(run->choices()[0].first, "look_ahead");
        if (std::string(rule) == "process") {
          EXPECT_EQ(run->choices()[0].second.find("1024 per process"), 0u) << name;
        }
      }
}

TEST(GupsRows, FailWithAFault) {
  const harness::Application app = application();
  const auto prepared = app.prepare(problem(1 << 12)), other = app.prepare(problem(1 << 12, 5));
  for (const std::string& name : host_rows) {
    EXPECT_TRUE(test::passes(harness::row(app, name), test::Fault::none, prepared, other)) << name;
    for (const test::Fault fault : test::all_faults())
      EXPECT_FALSE(test::passes(harness::row(app, name), fault, prepared, other)) << name << " " << to_string(fault);
  }
}

}  // namespace
}  // namespace speedwell::gups

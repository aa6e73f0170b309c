// The work and memory that the application counts, and the rules of the benchmark that its variants keep.
#include "speedwell/apps/gups/adapter.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "speedwell/apps/gups/verify.hpp"
#include "tests/apps/lifecycle.hpp"
#include "tests/support/faulty_run.hpp"

namespace speedwell::gups {
namespace {

harness::Problem problem(std::int64_t words, std::int64_t each = 4, const std::string& rule = "any") {
  return {"gups", "test", {{"words", words}, {"updates_per_word", each}, {"rule", rule}}, 1};
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
  EXPECT_EQ(bytes("cuda-parts", 1 << 26), 20);
  EXPECT_EQ(bytes("cuda-parts", std::int64_t{1} << 32), 36) << "parts of more than 2^25 words";
  EXPECT_EQ(bytes("cuda", 1 << 29), 36);
  EXPECT_EQ(bytes("multi", 1 << 26), 20);
  EXPECT_GT(of("multi", 1 << 26).operations, of("cuda", 1 << 25).operations * 8) << "jumps take more than steps";
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
  EXPECT_TRUE(refused("cuda-parts", 1 << 25, "process"));
  EXPECT_TRUE(refused("multi", 1 << 25, "process"));
  EXPECT_TRUE(refused("cuda", 1 << 25, "process"));
  EXPECT_FALSE(refused("cuda", 1024, "process"));
  const auto& ranks = harness::row(app, "mpi").unsupported_ranks_reason;
  EXPECT_FALSE(ranks(problem(1024, 4, "process"), 512).has_value());
  EXPECT_TRUE(ranks(problem(1024, 4, "process"), 513).has_value());
}

TEST(GupsApplication, HostVariantsSayHowFarTheyLookAhead) {
  const harness::Application app = application();
  for (const char* rule : {"thread", "process"}) {
    const auto run = harness::completed_run(app, harness::row(app, "openmp-atomic"), problem(1024, 3, rule));
    ASSERT_FALSE(run->choices().empty());
    EXPECT_EQ(run->choices()[0].first, "look_ahead");
    if (std::string(rule) == "process") {
      EXPECT_EQ(run->choices()[0].second.find("1024 per process"), 0u);
    }
  }
}

TEST(GupsApplication, TheTableOfMoreUpdatesIsRejected) {
  const harness::Application app = application();
  const auto prepared = app.prepare(problem(1 << 12)), other = app.prepare(problem(1 << 12, 5));
  EXPECT_FALSE(test::passes(harness::row(app, "openmp"), test::Fault::stale, prepared, other));
}

}  // namespace
}  // namespace speedwell::gups

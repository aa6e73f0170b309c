// The study's steps, the work and memory that the application counts, and what it refuses.
#include "speedwell/apps/matvec/adapter.hpp"

#include <gtest/gtest.h>

#include "speedwell/apps/matvec/ladder.hpp"
#include "tests/apps/lifecycle.hpp"

namespace speedwell::matvec {
namespace {

using harness::row;

harness::Problem problem(std::int64_t rows, std::int64_t columns, const std::string& precision,
                         const std::string& values = "random", std::uint64_t seed = 1) {
  return {"matvec",
          "test",
          {{"n", std::int64_t{0}},
           {"block", std::int64_t{0}},
           {"rows", rows},
           {"columns", columns},
           {"precision", precision},
           {"values", values}},
          seed};
}

TEST(MatvecApplication, HasTheStudysTenStepsAndTheTwoWithFewRegisters) {
  const harness::Application app = application();
  std::vector<std::string> lineage;
  for (const harness::Variant& v : app.variants)
    if (v.role == harness::Role::step) lineage.push_back(v.lineage);
  EXPECT_EQ(lineage, (std::vector<std::string>{"1", "2", "3", "4", "4mr", "5", "6", "7", "8", "9", "9mr", "10"}));
  EXPECT_EQ(row(app, "cuda").role, harness::Role::best);
}

TEST(MatvecApplication, CountsWorkAndMemory) {
  const harness::Application app = application();
  const harness::Work work = app.work(problem(32768, 16384, "f64"));
  EXPECT_EQ(work.operations, 2.0 * 32768 * 16384);
  EXPECT_EQ(work.bytes_read, 8.0 * (32768.0 * 16384 + 16384));
  EXPECT_EQ(work.bytes_written, 8.0 * 32768);
  EXPECT_EQ(work.arithmetic, harness::Arithmetic::f64);
  EXPECT_GE(app.footprint(problem(32768, 16384, "f64")).host_bytes, 4.0 * (1 << 30));
  EXPECT_GE(row(app, "cuda").footprint(problem(32768, 16384, "f64")).device_bytes, 4.0 * (1 << 30));
  // A column of 1000 elements is padded to 1000 rows of 512 bytes.
  EXPECT_GE(row(app, "cuda-row-global").footprint(problem(1000, 1, "f32")).device_bytes, 512000);
}

TEST(MatvecApplication, ASquareMatrixHasOneParameter) {
  const harness::Application app = application();
  EXPECT_EQ(app.work(harness::problem_with(app, {{"n", std::int64_t{300}}})).updates, 300.0 * 300);
  EXPECT_EQ(app.work(harness::problem_with(app, {{"rows", std::int64_t{300}}})).updates, 300.0 * 1024);
}

TEST(MatvecApplication, RefusesProblemsBeforeAnythingIsAllocated) {
  const harness::Application app = application();
  EXPECT_THROW(app.footprint(problem(std::int64_t{1} << 40, std::int64_t{1} << 40, "f64")), std::invalid_argument);
  EXPECT_THROW(app.footprint(problem(1, 1000000, "f32", "integers")), std::invalid_argument);
  EXPECT_NO_THROW(app.footprint(problem(1, 1000000, "f64", "integers")));
}

TEST(MatvecApplication, ShortSharedMemoryNamesTheStagedStep) {
  const harness::Application app = application();
  for (const std::string side : {"row", "column"}) {
    const auto& refuses = row(app, "cuda-" + side + "-shared").unsupported_reason;
    EXPECT_FALSE(refuses(problem(4, 12288, "f32")));
    EXPECT_FALSE(refuses(problem(4, 6144, "f64")));
    for (const auto& [columns, precision] : {std::pair{12289, "f32"}, std::pair{6145, "f64"}}) {
      const auto reason = refuses(problem(4, columns, precision));
      ASSERT_TRUE(reason);
      EXPECT_NE(reason->find("cuda-" + side + "-staged"), std::string::npos) << *reason;
    }
    EXPECT_FALSE(row(app, "cuda-" + side + "-staged").unsupported_reason);
  }
}

}  // namespace
}  // namespace speedwell::matvec

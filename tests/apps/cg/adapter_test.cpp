// The work that the application counts, what it refuses, and matrices from files.
#include "speedwell/apps/cg/adapter.hpp"

#include <gtest/gtest.h>

#include "speedwell/harness/problems.hpp"
#include "speedwell/io/matrix_market.hpp"
#include "speedwell/io/sparse_matrix.hpp"
#include "tests/apps/lifecycle.hpp"
#include "tests/support/folder_fixture.hpp"
#include "tests/support/work.hpp"

namespace speedwell::cg {
namespace {

using harness::Setting;

harness::Problem problem(const std::vector<Setting>& settings, std::uint64_t seed = 1) {
  return harness::problem_on_small_box(application(), settings, seed);
}
std::string word(const char* text) { return text; }

TEST(CgApplication, CountsTheTrafficOfEveryVariant) {
  const harness::Application app = application();
  const auto work = [&](const char* row, std::int64_t n, std::vector<Setting> more = {}) {
    more.push_back({"n", n});
    more.push_back({"iterations", std::int64_t{12}});
    return row ? harness::row(app, row).work(problem(more)) : app.work(problem(more));
  };
  const auto bytes = [&](const char* row, std::int64_t n, std::vector<Setting> more = {}) {
    const harness::Work w = work(row, n, std::move(more));
    return (w.bytes_read + w.bytes_written) / w.updates;
  };
  EXPECT_NEAR(bytes(nullptr, 64), 16 / 12.0, 1e-12) << "b and x, where all else stays on the chip";
  EXPECT_EQ(bytes("cuda", 128), 16) << "on the chip but x";
  EXPECT_EQ(bytes("cuda", 256), 64) << "two passes";
  EXPECT_EQ(bytes("cuda-passes", 128), 64);
  EXPECT_EQ(bytes("cuda-passes", 128, {{"preconditioner", word("polynomial")}}), 88);
  EXPECT_EQ(bytes("cuda-fused", 128), 88);
  EXPECT_EQ(bytes("cuda-naive", 128), 112) << "a pass for each line of the method";
  EXPECT_FALSE(work("cuda", 128, {{"tolerance", 1e-8}}).no_limit.empty());
}

TEST(CgApplication, NoVariantMovesLessThanTheBestKnown) { test::expect_no_variant_below_the_best(application()); }

TEST(CgApplication, RefusesWhatDoesNotGoTogether) {
  const harness::Application app = application();
  const auto refused = [&](std::vector<Setting> settings) {
    EXPECT_THROW(app.footprint(problem(std::move(settings))), std::invalid_argument);
  };
  refused({{"tolerance", 1e-14}});
  refused({{"tolerance", 1e-8}, {"precision", word("f32")}});
  refused({{"matrix", word("27-point")}});
  refused({{"matrix", word("27-point")}, {"tolerance", 1e-8}, {"preconditioner", word("polynomial")}});
}

TEST(CgApplication, VariantsSayWhatTheyDoNotTake) {
  const harness::Application app = application();
  const auto reason = [&](const char* name, std::vector<Setting> settings) {
    return harness::row(app, name).unsupported_reason(problem(std::move(settings))).value_or("");
  };
  const Setting tolerance = {"tolerance", 1e-8};
  EXPECT_EQ(reason("cuda-passes", {{"matrix", word("27-point")}, tolerance}), "cuda-passes takes no matrix");
  EXPECT_EQ(reason("cuda-fused", {{"preconditioner", word("jacobi")}}), "cuda-fused takes no preconditioner");
  EXPECT_EQ(reason("openmp-mixed", {}), "openmp-mixed is for a tolerance in f64 without a matrix");
  EXPECT_EQ(reason("openmp-mixed", {tolerance}), "");
  EXPECT_EQ(reason("cuda", {{"matrix", word("27-point")}, tolerance}), "");
}

TEST(CgApplication, RejectsASolutionThatHasNotReachedItsTolerance) {
  const harness::Application app = application();
  const auto p = problem({{"tolerance", 1e-11}});  // in 8 iterations
  EXPECT_FALSE(harness::completed_run(app, harness::row(app, "openmp"), p)->verify().passed);
}

using CgApplicationFiles = test::FolderFixture;

TEST_F(CgApplicationFiles, OfMatricesThatConjugateGradientsCannotSolveWithAreRefused) {
  const harness::Application app = application();
  const std::string path = root_ + "/unfit.mtx";
  const auto p = problem({{"matrix", path}, {"tolerance", 1e-8}});
  const auto write = [&](sparse::Csr<double> m) { io::write_matrix_market(path, io::to_sparse_matrix(m)); };
  const auto message_of = [&](const auto& act) -> std::string {
    try {
      act();
    } catch (const io::InputError& e) {
      return e.what();
    }
    return "was taken";
  };
  write({2, 2, {0, 2, 3}, {0, 1, 1}, {2, 1, 2}});
  EXPECT_NE(message_of([&] { app.prepare(p); }).find("unfit.mtx: the matrix is not symmetric: (1, 2)"),
            std::string::npos);
  write({2, 2, {0, 1, 2}, {0, 1}, {2, -2}});
  EXPECT_NE(message_of([&] { app.prepare(p); }).find("the diagonal of row 2 is not positive"), std::string::npos);
  write({1, 2, {0, 2}, {0, 1}, {2, 1}});
  EXPECT_NE(message_of([&] { app.prepare(p); }).find("not square"), std::string::npos);
  // Symmetric with a positive diagonal and the eigenvalue -1: detected only in the iterations.
  write({2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1, 2, 2, 1}});
  for (const char* name : {"serial", "openmp"})
    EXPECT_NE(message_of([&] {
                harness::completed_run(app, harness::row(app, name), p);
              }).find("not positive definite: p.Ap <= 0"),
              std::string::npos)
        << name;
}

TEST(CgApplication, PreconditionedIterationsPass) {
  const harness::Application app = application();
  for (const char* preconditioner : {"jacobi", "polynomial"})
    EXPECT_TRUE(harness::completed_run(app, harness::row(app, "openmp"),
                                       problem({{"preconditioner", word(preconditioner)}, {"values", word("random")}}))
                    ->verify()
                    .passed);
}

}  // namespace
}  // namespace speedwell::cg

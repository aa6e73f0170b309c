// The work that the application counts, what it refuses, and matrices from files.
#include "speedwell/apps/stencil/adapter.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "speedwell/apps/stencil/sparse.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/io/matrix_market.hpp"
#include "tests/apps/lifecycle.hpp"
#include "tests/apps/stencil/irregular.hpp"

namespace speedwell::stencil {
namespace {

using harness::Setting;

harness::Problem problem(std::vector<Setting> settings, std::uint64_t seed = 1) {
  std::vector<Setting> all = {{"nx", std::int64_t{17}}, {"ny", std::int64_t{9}}, {"nz", std::int64_t{12}}};
  all.insert(all.end(), settings.begin(), settings.end());
  return harness::problem_with(application(), all, seed);
}
std::string word(const char* text) { return text; }

TEST(StencilApplication, CountsTheLeastTrafficOfEveryKernel) {
  const harness::Application app = application();
  const double n = 17 * 9 * 12;
  const auto bytes = [&](const char* kernel, std::vector<Setting> more = {}) {
    more.push_back({"kernel", word(kernel)});
    const harness::Work work = app.work(problem(more));
    return (work.bytes_read + work.bytes_written) / n;
  };
  EXPECT_EQ(bytes("e"), 32);
  EXPECT_EQ(bytes("e0"), 16);
  EXPECT_EQ(bytes("l"), 16);
  EXPECT_EQ(bytes("v"), 40);
  EXPECT_EQ(bytes("g"), 72);
  EXPECT_EQ(bytes("jacobi"), 16);
  EXPECT_EQ(bytes("spmv"), 100) << "7 entries and their columns, x and y";
  EXPECT_EQ(bytes("spmv", {{"boundary", word("zero")}}), 72) << "7 diagonals";
  EXPECT_NEAR(bytes("sum"), 8, 0.01);
  EXPECT_NEAR(bytes("cg", {{"steps", std::int64_t{10}}}), 16, 1e-12) << "b and x, where all else stays on the chip";
  EXPECT_EQ(bytes("e", {{"precision", word("f32")}}), 16);
}

TEST(StencilApplication, CountsTheTrafficOfEveryVariant) {
  const harness::Application app = application();
  const auto work = [&](const char* row, const char* kernel, std::int64_t n, std::vector<Setting> more = {}) {
    more.push_back({"kernel", word(kernel)});
    more.push_back({"n", n});
    return harness::row(app, row).work(problem(more));
  };
  const auto bytes = [&](const char* row, const char* kernel, std::int64_t n, std::vector<Setting> more = {}) {
    const harness::Work w = work(row, kernel, n, std::move(more));
    return (w.bytes_read + w.bytes_written) / w.updates;
  };
  const Setting steps = {"steps", std::int64_t{12}};
  EXPECT_EQ(bytes("cuda-march", "jacobi", 64, {steps}), 16);
  EXPECT_EQ(bytes("openmp", "jacobi", 64, {steps}), 4) << "four sweeps a pass";
  EXPECT_EQ(bytes("cuda", "jacobi", 64, {steps}), 4);
  EXPECT_NEAR(work("cuda", "jacobi", 64, {steps}).operations / (12.0 * 64 * 64 * 64), 20, 1e-12);
  EXPECT_EQ(work("openmp", "jacobi", 64, {steps}).operations, 10 * 12.0 * 64 * 64 * 64);
  EXPECT_EQ(bytes("cuda", "cg", 128, {steps}), 16) << "on the chip but x";
  EXPECT_EQ(bytes("cuda", "cg", 256, {steps}), 64) << "two passes";
  EXPECT_EQ(bytes("cuda-passes", "cg", 128, {steps}), 64);
  EXPECT_EQ(bytes("cuda-passes", "cg", 128, {steps, {"preconditioner", word("polynomial")}}), 88);
  EXPECT_EQ(bytes("cuda-fused", "cg", 128, {steps}), 88);
  EXPECT_EQ(bytes("cuda-naive", "cg", 128, {steps}), 112) << "a pass for each line of the method";
  EXPECT_FALSE(work("cuda", "cg", 128, {{"tolerance", 1e-8}}).no_limit.empty());
  const Setting zero = {"boundary", word("zero")};
  EXPECT_EQ(bytes("cuda-csr", "spmv", 64), 7 * 12 + 8 + 16);
  EXPECT_EQ(bytes("cusparse", "spmv", 64), 7 * 12 + 4 + 16);
  EXPECT_EQ(bytes("cuda-sell", "spmv", 64), 7 * 12 + 16);
  EXPECT_EQ(bytes("cuda", "spmv", 64), 7 * 12 + 16) << "sliced ELL: a periodic box has 13 diagonals";
  EXPECT_EQ(bytes("cuda", "spmv", 64, {zero}), 7 * 8 + 16) << "diagonals";
  EXPECT_EQ(bytes("cuda-dia", "spmv", 64), 13 * 8 + 16);
  EXPECT_EQ(bytes("cuda-dia", "spmv", 64, {zero}), 7 * 8 + 16);
  EXPECT_EQ(bytes("cuda-bsr", "spmv", 64), 7 * 36 / 2.0 + 4 + 16);
  EXPECT_EQ(bytes("cuda-dia", "spmv", 64, {zero, {"matrix", word("27-point")}, {"precision", word("f32")}}),
            27 * 4 + 8);
}

TEST(StencilApplication, NoVariantMovesLessThanTheBestKnown) {
  const harness::Application app = application();
  for (const harness::Size& size : app.sizes)
    for (const harness::Problem& p : harness::problems(app, size, {}, 1))
      for (const harness::Variant& variant : app.variants) {
        if (variant.unsupported_reason && variant.unsupported_reason(p)) continue;
        const harness::Work own = variant.work(p), best = app.work(p);
        EXPECT_GE(own.bytes_read + own.bytes_written, (best.bytes_read + best.bytes_written) * (1 - 1e-12))
            << variant.name << " " << size.name << " " << p.get<std::string>("kernel");
        EXPECT_GE(own.operations, best.operations) << variant.name << " " << size.name;
      }
}

TEST(StencilApplication, RefusesWhatDoesNotGoTogether) {
  const harness::Application app = application();
  const auto refused = [&](std::vector<Setting> settings) {
    EXPECT_THROW(app.footprint(problem(std::move(settings))), std::invalid_argument);
  };
  refused({{"kernel", word("jacobi")}, {"boundary", word("zero")}});
  refused({{"kernel", word("cg")}, {"boundary", word("periodic")}});
  refused({{"kernel", word("e")}, {"boundary", word("none")}});
  refused({{"kernel", word("e")}, {"matrix", word("27-point")}});
  refused({{"kernel", word("l")}, {"preconditioner", word("jacobi")}});
  refused({{"kernel", word("e")}, {"tolerance", 1e-8}});
  refused({{"kernel", word("cg")}, {"tolerance", 1e-14}});
  refused({{"kernel", word("cg")}, {"tolerance", 1e-8}, {"precision", word("f32")}});
  refused({{"kernel", word("cg")}, {"matrix", word("27-point")}});
  refused({{"kernel", word("cg")},
           {"matrix", word("27-point")},
           {"tolerance", 1e-8},
           {"preconditioner", word("polynomial")}});
  EXPECT_THROW(app.footprint(harness::problem_with(app, {{"nx", std::int64_t{2}}})), std::invalid_argument);
  EXPECT_THROW(
      app.footprint(harness::problem_with(app, {{"nx", std::int64_t{1} << 40}, {"ny", std::int64_t{1} << 40}})),
      std::invalid_argument);
}

TEST(StencilApplication, RejectsASolutionThatHasNotReachedItsTolerance) {
  const harness::Application app = application();
  const auto p = problem({{"kernel", word("cg")}, {"tolerance", 1e-11}});  // in 8 iterations
  EXPECT_FALSE(harness::completed_run(app, harness::row(app, "openmp"), p)->verify().passed);
}

TEST(StencilApplication, RefusesMatricesThatConjugateGradientsCannotSolveWith) {
  const harness::Application app = application();
  const std::string path = (std::filesystem::path(testing::TempDir()) / "unfit.mtx").string();
  const auto p = problem({{"kernel", word("cg")}, {"matrix", path}, {"tolerance", 1e-8}});
  const auto write = [&](Csr<double> m) { io::write_matrix_market(path, to_file(m)); };
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
  std::filesystem::remove(path);
}

TEST(StencilApplication, ConditionedIterationsAndOtherMatricesPass) {
  const harness::Application app = application();
  for (const char* conditioner : {"jacobi", "polynomial"})
    EXPECT_TRUE(
        harness::completed_run(
            app, harness::row(app, "openmp"),
            problem({{"kernel", word("cg")}, {"preconditioner", word(conditioner)}, {"values", word("random")}}))
            ->verify()
            .passed);
  const std::string path = (std::filesystem::path(testing::TempDir()) / "irregular.mtx").string();
  io::write_matrix_market(path, to_file(irregular_matrix<double>(300, 200)));
  for (const std::string& matrix : {word("27-point"), path})
    for (const char* name : {"serial", "openmp", "openmp-ell", "openmp-bsr"}) {
      const auto p = problem({{"kernel", word("spmv")}, {"matrix", matrix}});
      EXPECT_TRUE(harness::completed_run(app, harness::row(app, name), p)->verify().passed) << matrix;
      EXPECT_GT(app.work_of(*app.prepare(p)).operations, 0);
    }
  std::filesystem::remove(path);
  EXPECT_THROW(app.prepare(problem({{"kernel", word("spmv")}, {"matrix", path}})), io::InputError);
}

}  // namespace
}  // namespace speedwell::stencil

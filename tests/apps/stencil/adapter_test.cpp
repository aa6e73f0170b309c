// The interface to the harness: variants, sizes, and the life cycle of every host run.
#include "speedwell/apps/stencil/adapter.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "speedwell/apps/stencil/sparse.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/io/matrix_market.hpp"
#include "tests/apps/lifecycle.hpp"
#include "tests/apps/stencil/irregular.hpp"
#include "tests/support/faulty_run.hpp"

namespace speedwell::stencil {
namespace {

using harness::Setting;

harness::Problem problem(std::vector<Setting> settings, std::uint64_t seed = 1) {
  std::vector<Setting> all = {{"nx", std::int64_t{17}}, {"ny", std::int64_t{9}}, {"nz", std::int64_t{12}}};
  all.insert(all.end(), settings.begin(), settings.end());
  return harness::problem_with(application(), all, seed);
}
std::string word(const char* text) { return text; }

constexpr const char* kernels[] = {"e", "e0", "l", "v", "g", "jacobi", "spmv", "cg", "sum"};

TEST(StencilApplication, EveryRowAndSizeIsNamedOnceAndSetsOnlyWhatThereIs) {
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
  for (const char* name : {"test", "small", "standard", "large"}) EXPECT_TRUE(sizes.count(name)) << name;
}

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

TEST(StencilApplication, HostRunsPassAndPlantedFaultsFail) {
  const harness::Application app = application();
  for (const char* kernel : kernels)
    for (const char* values : {"dyadic", "random"})
      for (const char* precision : {"f64", "f32"})
        for (const harness::Variant& row : app.variants) {
          const std::vector<Setting> settings = {{"kernel", word(kernel)},
                                                 {"values", word(values)},
                                                 {"precision", word(precision)},
                                                 {"steps", std::int64_t{6}}};
          if (!row.make || row.backend == harness::Backend::cuda) continue;
          if (row.unsupported_reason(problem(settings))) continue;
          const auto run = harness::lived(app, row, problem(settings));
          const core::Verdict verdict = run->verify();
          EXPECT_TRUE(verdict.passed) << row.name << " " << kernel << " " << values << " " << precision << ": "
                                      << verdict.error << " > " << verdict.tolerance;
          EXPECT_FALSE(harness::lived(app, row, problem(settings), false)->verify().passed)
              << row.name << " " << kernel;
          for (const test::Fault fault : test::all_faults()) {
            const auto prepared = app.prepare(problem(settings));
            // cg: the right-hand side changes with the seed; dyadic data do not depend on it, only on the size.
            const auto other = app.prepare(problem({{"kernel", word(kernel)},
                                                    {"values", word("random")},
                                                    {"precision", word(precision)},
                                                    {"steps", std::int64_t{6}}},
                                                   7));
            test::FaultyRun faulty(row.make(prepared, {.threads = 1}), fault, row.make(other, {.threads = 1}));
            faulty.allocate();
            faulty.upload();
            faulty.poison();
            faulty.execute();
            faulty.synchronize();
            faulty.download();
            EXPECT_FALSE(faulty.verify().passed) << row.name << " " << kernel << ": " << test::to_string(fault);
          }
        }
}

TEST(StencilApplication, SolvesToAToleranceWithAndWithoutAMatrix) {
  const harness::Application app = application();
  for (const char* precision : {"f64", "f32"})
    for (const char* matrix : {"7-point", "27-point"})
      for (const harness::Variant& row : app.variants) {
        const double tolerance = precision == std::string("f64") ? 1e-11 : 1e-5;
        const auto p = problem({{"kernel", word("cg")},
                                {"matrix", word(matrix)},
                                {"precision", word(precision)},
                                {"tolerance", tolerance},
                                {"steps", std::int64_t{1000}}});
        if (!row.make || row.backend == harness::Backend::cuda || row.unsupported_reason(p)) continue;
        const core::Verdict verdict = harness::lived(app, row, p)->verify();
        EXPECT_TRUE(verdict.passed) << row.name << " " << matrix << " " << precision << ": " << verdict.error;
        EXPECT_FALSE(harness::lived(app, row, p, false)->verify().passed) << row.name;
      }
  const auto p = problem({{"kernel", word("cg")}, {"tolerance", 1e-11}});  // in 8 iterations
  EXPECT_FALSE(harness::lived(app, harness::row(app, "openmp"), p)->verify().passed);
}

TEST(StencilApplication, RefusesMatricesThatConjugateGradientsCannotSolveWith) {
  const harness::Application app = application();
  const std::string path = (std::filesystem::path(testing::TempDir()) / "unfit.mtx").string();
  const auto p = problem({{"kernel", word("cg")}, {"matrix", path}, {"tolerance", 1e-8}});
  const auto write = [&](Csr<double> m) { io::write_matrix_market(path, to_file(m)); };
  const auto said = [&](const auto& act) -> std::string {
    try {
      act();
    } catch (const io::InputError& e) {
      return e.what();
    }
    return "was taken";
  };
  write({2, 2, {0, 2, 3}, {0, 1, 1}, {2, 1, 2}});
  EXPECT_NE(said([&] { app.prepare(p); }).find("unfit.mtx: the matrix is not symmetric: (1, 2)"), std::string::npos);
  write({2, 2, {0, 1, 2}, {0, 1}, {2, -2}});
  EXPECT_NE(said([&] { app.prepare(p); }).find("the diagonal of row 2 is not positive"), std::string::npos);
  write({1, 2, {0, 2}, {0, 1}, {2, 1}});
  EXPECT_NE(said([&] { app.prepare(p); }).find("not square"), std::string::npos);
  // Symmetric with a positive diagonal and the eigenvalue -1: detected only in the iterations.
  write({2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1, 2, 2, 1}});
  for (const char* name : {"serial", "openmp"})
    EXPECT_NE(said([&] { harness::lived(app, harness::row(app, name), p); }).find("not positive definite: p.Ap <= 0"),
              std::string::npos)
        << name;
  std::filesystem::remove(path);
}

TEST(StencilApplication, ConditionedIterationsAndOtherMatricesPass) {
  const harness::Application app = application();
  for (const char* conditioner : {"jacobi", "polynomial"})
    EXPECT_TRUE(
        harness::lived(
            app, harness::row(app, "openmp"),
            problem({{"kernel", word("cg")}, {"preconditioner", word(conditioner)}, {"values", word("random")}}))
            ->verify()
            .passed);
  const std::string path = (std::filesystem::path(testing::TempDir()) / "irregular.mtx").string();
  io::write_matrix_market(path, to_file(irregular_matrix<double>(300, 200)));
  for (const std::string& matrix : {word("27-point"), path})
    for (const char* name : {"serial", "openmp", "openmp-ell", "openmp-bsr"}) {
      const auto p = problem({{"kernel", word("spmv")}, {"matrix", matrix}});
      EXPECT_TRUE(harness::lived(app, harness::row(app, name), p)->verify().passed) << matrix;
      EXPECT_GT(app.work_of(*app.prepare(p)).operations, 0);
    }
  std::filesystem::remove(path);
  EXPECT_THROW(app.prepare(problem({{"kernel", word("spmv")}, {"matrix", path}})), io::InputError);
}

}  // namespace
}  // namespace speedwell::stencil

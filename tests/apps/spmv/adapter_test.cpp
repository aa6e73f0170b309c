// The work that the application counts, what it refuses, and matrices from files.
#include "speedwell/apps/spmv/adapter.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "speedwell/harness/problems.hpp"
#include "speedwell/io/matrix_market.hpp"
#include "speedwell/io/sparse_matrix.hpp"
#include "tests/apps/lifecycle.hpp"
#include "tests/numerics/sparse/irregular.hpp"
#include "tests/support/folder_fixture.hpp"
#include "tests/support/work.hpp"

namespace speedwell::spmv {
namespace {

using harness::Setting;

harness::Problem problem(const std::vector<Setting>& settings, std::uint64_t seed = 1) {
  return harness::problem_on_small_box(application(), settings, seed);
}
std::string word(const char* text) { return text; }

double bytes_per_row(const harness::Work& work) { return (work.bytes_read + work.bytes_written) / work.updates; }

TEST(SpmvApplication, CountsTheLeastTraffic) {
  const harness::Application app = application();
  EXPECT_EQ(bytes_per_row(app.work(problem({}))), 100) << "7 entries and their columns, x and y";
  EXPECT_EQ(bytes_per_row(app.work(problem({{"boundary", word("zero")}}))), 72) << "7 diagonals";
}

TEST(SpmvApplication, CountsTheTrafficOfEveryVariant) {
  const harness::Application app = application();
  const auto bytes = [&](const char* row, std::vector<Setting> more = {}) {
    more.push_back({"n", std::int64_t{64}});
    return bytes_per_row(harness::row(app, row).work(problem(more)));
  };
  const Setting zero = {"boundary", word("zero")};
  EXPECT_EQ(bytes("cuda-csr"), 7 * 12 + 8 + 16);
  EXPECT_EQ(bytes("cusparse"), 7 * 12 + 4 + 16);
  EXPECT_EQ(bytes("cuda-sell"), 7 * 12 + 16);
  EXPECT_EQ(bytes("cuda"), 7 * 12 + 16) << "sliced ELL: a periodic box has 13 diagonals";
  EXPECT_EQ(bytes("cuda", {zero}), 7 * 8 + 16) << "diagonals";
  EXPECT_EQ(bytes("cuda-dia"), 13 * 8 + 16);
  EXPECT_EQ(bytes("cuda-dia", {zero}), 7 * 8 + 16);
  EXPECT_EQ(bytes("cuda-bsr"), 7 * 36 / 2.0 + 4 + 16);
  EXPECT_EQ(bytes("cuda-dia", {zero, {"matrix", word("27-point")}, {"precision", word("f32")}}), 27 * 4 + 8);
}

TEST(SpmvApplication, NoVariantMovesLessThanTheBestKnown) { test::expect_no_variant_below_the_best(application()); }

using SpmvApplicationFiles = test::FolderFixture;

TEST_F(SpmvApplicationFiles, AndOtherMatricesPass) {
  const harness::Application app = application();
  const std::string path = root_ + "/irregular.mtx";
  io::write_matrix_market(path, io::to_sparse_matrix(sparse::irregular_matrix<double>(300, 200)));
  for (const std::string& matrix : {word("27-point"), path})
    for (const char* name : {"serial", "openmp", "openmp-ell", "openmp-bsr"}) {
      const auto p = problem({{"matrix", matrix}});
      EXPECT_TRUE(harness::completed_run(app, harness::row(app, name), p)->verify().passed) << matrix;
      const auto prepared = app.prepare(p);
      EXPECT_GT(app.work_of(*prepared).operations, 0);
      EXPECT_GE(harness::row(app, name).work_of(*prepared).bytes_read, app.work_of(*prepared).bytes_read) << name;
    }
  std::filesystem::remove(path);
  EXPECT_THROW(app.prepare(problem({{"matrix", path}})), io::InputError);
}

TEST(SpmvApplication, RefusesABoxWhoseNeighboursCoincide) {
  const harness::Application app = application();
  EXPECT_THROW(app.footprint(harness::problem_with(app, {{"nx", std::int64_t{2}}})), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::spmv

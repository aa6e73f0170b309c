// The verdict detects an error in every cell and every bit.
#include "speedwell/apps/wavefront/verify/verify.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace speedwell::wavefront {
namespace {

constexpr Extents extents{2, 3, 5};

std::vector<double> answer() {
  std::vector<double> cells(static_cast<std::size_t>(extents.cells()));
  for (std::size_t n = 0; n < cells.size(); ++n) cells[n] = static_cast<double>(n) / 32;
  return cells;
}
core::Verdict verify_cells(const std::vector<double>& got) { return verify<double>(extents, answer(), got); }

TEST(WavefrontVerify, SeesTheLastBitOfAnyCell) {
  EXPECT_TRUE(verify_cells(answer()).passed);
  for (std::size_t n = 0; n < answer().size(); ++n) {
    std::vector<double> got = answer();
    got[n] = std::nextafter(got[n], 2);
    const core::Verdict verdict = verify_cells(got);
    EXPECT_FALSE(verdict.passed) << n;
    EXPECT_EQ(verdict.error, 1) << n;
  }
}

TEST(WavefrontVerify, CountsWrongCellsAndNamesTheFirst) {
  std::vector<double> got = answer();
  got[(1 * 3 + 2) * 5 + 4] = 0;
  got[(1 * 3 + 0) * 5 + 3] = std::numeric_limits<double>::quiet_NaN();
  const core::Verdict verdict = verify_cells(got);
  EXPECT_FALSE(verdict.passed);
  EXPECT_EQ(verdict.error, 2);
  EXPECT_NE(verdict.oracle.find("(1,0,3)"), std::string::npos) << verdict.oracle;
}

TEST(WavefrontVerify, TellsZerosOfBothSignsApart) {
  std::vector<double> got = answer();
  got[0] = -0.0;
  EXPECT_FALSE(verify_cells(got).passed);
}

TEST(WavefrontVerify, RefusesAnotherNumberOfCells) {
  std::vector<double> got = answer();
  got.pop_back();
  EXPECT_THROW(verify_cells(got), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::wavefront

// The operations of the GPU steps of FT on lines, on the host: where points lie, and the transform of a line.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include "speedwell/apps/npb/ft/gpu/lines.hpp"

namespace speedwell::npb::ft {
namespace {

struct Point {
  double x, y;
};

// Against the definition: point (i, j, k) of 4 x 8 x 2 points lies at (k 8 + j) 4 + i.
TEST(FtLines, LieAlongTheAxes) {
  const Lines x{2, 0}, y{3, 2}, z{1, 5};
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 8; ++j)
      for (int i = 0; i < 4; ++i) {
        const int at = (k * 8 + j) * 4 + i;
        EXPECT_EQ(x.index(k * 8 + j, i), at);
        EXPECT_EQ(y.index(k * 4 + i, j), at);
        EXPECT_EQ(z.index(j * 4 + i, k), at);
      }
}

TEST(FtLines, EveryOffsetIsOnePointOfOneLine) {
  for (const Lines lines : {Lines{0, 0}, Lines{0, 3}, Lines{3, 0}, Lines{2, 4}, Lines{4, 2}})
    for (std::int64_t at = 0; at < 512; ++at) EXPECT_EQ(lines.index(lines.line_at(at), lines.point_at(at)), at);
}

// Sums as they stand. A point has one rounding in each of log2(n) passes and two of its root: 1e-15 of what n random
// points add up to, at most n, is more than that.
TEST(FtLines, AreTransformedAsTheDefinitionSays) {
  std::mt19937_64 engine(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int log_n = 0; log_n <= 8; ++log_n)
    for (const int log_inner : {0, 3})
      for (const bool backward : {false, true}) {
        const std::int64_t n = std::int64_t{1} << log_n;
        const Lines lines{log_n, log_inner};
        const std::int64_t line = (std::int64_t{2} << log_inner) - 1;
        std::vector<Point> work[2];
        for (auto& array : work) array.resize(static_cast<std::size_t>(2 * n << log_inner), Point{99, 99});
        std::vector<std::complex<long double>> x;
        for (std::int64_t e = 0; e < n; ++e) {
          Point& point = work[0][static_cast<std::size_t>(lines.index(line, e))];
          point = {uniform(engine), uniform(engine)};
          x.emplace_back(point.x, point.y);
        }
        const auto roots = roots_of(4 * n);  // of a longer axis
        const auto root = [&](std::int64_t k) {
          const std::complex<double> z = roots.at(static_cast<std::size_t>(4 * k));
          return Point{z.real(), z.imag()};
        };
        const std::int64_t first = lines.index(line, 0);
        stockham(lines, work[0].data() + first, work[1].data() + first, root, backward);
        for (std::int64_t k = 0; k < n; ++k) {
          std::complex<long double> sum = 0;
          for (std::int64_t e = 0; e < n; ++e)
            sum += x[static_cast<std::size_t>(e)] *
                   std::polar(1.0L, (backward ? 2 : -2) * std::acos(-1.0L) * static_cast<long double>(e * k % n) /
                                        static_cast<long double>(n));
          const Point got = work[log_n % 2][static_cast<std::size_t>(lines.index(line, k))];
          EXPECT_LE(std::abs(sum - std::complex<long double>(got.x, got.y)), 1e-15 * static_cast<double>(n))
              << n << " points, " << k;
        }
        // Its neighbours are left alone.
        const Point& other = work[0][static_cast<std::size_t>(lines.index(line - 1, 0))];
        EXPECT_EQ(other.x, 99);
      }
}

}  // namespace
}  // namespace speedwell::npb::ft

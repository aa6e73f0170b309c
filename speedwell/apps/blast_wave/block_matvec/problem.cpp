#include "speedwell/apps/blast_wave/block_matvec/problem.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace speedwell::blast_wave::block_matvec {

void require_valid(const Problem& problem) {
  const Extents& e = problem.extents;
  constexpr std::int64_t most = (std::int64_t{1} << 31) / block - 64;
  for (int d = 0; d < 3; ++d)
    if (e.extent(d) < 3)
      throw std::invalid_argument("block_matvec: an extent is " + std::to_string(e.extent(d)) +
                                  "; allowed: 3 points and above");
  if (e.nx > most / e.ny || e.nx * e.ny > most / e.nz)
    throw std::invalid_argument("block_matvec: " + std::to_string(e.nx) + " x " + std::to_string(e.ny) + " x " +
                                std::to_string(e.nz) + " points; allowed: fewer than 2^31 / 5");
}

Expected expect(const Problem& problem) {
  const std::int64_t nx = problem.extents.nx, ny = problem.extents.ny, nz = problem.extents.nz;
  const auto index = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return (i + nx) % nx + nx * ((j + ny) % ny + ny * ((k + nz) % nz));
  };
  // A sum of 35 products, in any order, with or without fused multiply-adds, is within gamma_35 = 35 u / (1 - 35 u) of
  // the exact one, relative to the sum of magnitudes (Higham 2002, 3.1), and so is the oracle's.
  constexpr double u = std::numeric_limits<double>::epsilon() / 2, terms = neighbours * block;
  constexpr double twice_gamma = 2 * terms * u / (1 - terms * u);
  Expected expected;
  expected.value.resize(static_cast<std::size_t>(5 * nx * ny * nz));
  expected.allowed.resize(expected.value.size());
#pragma omp parallel for collapse(2) schedule(static)
  for (std::int64_t k = 0; k < nz; ++k)
    for (std::int64_t j = 0; j < ny; ++j)
      for (std::int64_t i = 0; i < nx; ++i) {
        const std::int64_t point = index(i, j, k);
        const std::int64_t near[neighbours] = {point,
                                               index(i - 1, j, k),
                                               index(i + 1, j, k),
                                               index(i, j - 1, k),
                                               index(i, j + 1, k),
                                               index(i, j, k - 1),
                                               index(i, j, k + 1)};
        for (int row = 0; row < block; ++row) {
          double sum = 0, magnitude = 0;
          for (int n = 0; n < neighbours; ++n)
            for (int column = 0; column < block; ++column) {
              const double product =
                  coefficient(problem.seed, point, n, row, column) * operand(problem.seed, near[n], column);
              sum += product;
              magnitude += std::abs(product);
            }
          const auto at = static_cast<std::size_t>(block * point + row);
          expected.value[at] = sum;
          expected.allowed[at] = twice_gamma * magnitude;
        }
      }
  return expected;
}

core::Verdict verify(const Problem& problem, const Expected& expected, std::span<const double> y) {
  const auto points = static_cast<std::size_t>(problem.extents.points()), stride = y.size() / block;
  if (y.size() % block != 0 || stride < points || expected.value.size() != block * points)
    throw std::invalid_argument("block_matvec: a vector of " + std::to_string(y.size()) + " values to verify for " +
                                std::to_string(points) + " points");
  double largest = 0;
  for (std::size_t c = 0; c < block; ++c)
    for (std::size_t p = 0; p < points; ++p) {
      const double distance = std::abs(y[c * stride + p] - expected.value[block * p + c]);
      const double ratio = distance / expected.allowed[block * p + c];
      if (!std::isnan(largest) && !(ratio <= largest)) largest = ratio;  // keeps a NaN
    }
  return core::Verdict::from_error(largest, 1, "sums from the definition, largest error over the rounding bound");
}

Blocks7 matrix(const Problem& problem) {
  Blocks7 a(problem.extents);
  const std::int64_t points = problem.extents.points();
#pragma omp parallel for schedule(static)
  for (std::int64_t point = 0; point < points; ++point)
    for (int n = 0; n < neighbours; ++n)
      for (int row = 0; row < block; ++row)
        for (int column = 0; column < block; ++column)
          a.entry(point, static_cast<Neighbour>(n), row, column) = coefficient(problem.seed, point, n, row, column);
  return a;
}

std::vector<double> vector(const Problem& problem, const Blocks7& layout) {
  std::vector<double> x(layout.vector_size(), 0.0);
  const std::int64_t points = problem.extents.points();
  for (int c = 0; c < block; ++c)
    for (std::int64_t point = 0; point < points; ++point)
      x[static_cast<std::size_t>(c) * layout.stride() + static_cast<std::size_t>(point)] =
          operand(problem.seed, point, c);
  return x;
}

}  // namespace speedwell::blast_wave::block_matvec

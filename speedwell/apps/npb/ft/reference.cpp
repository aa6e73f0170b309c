// With G_n(d) = (1/n) sum over k of exp(-4 alpha pi^2 k^2 t) cos(2 pi k d / n) for each axis,
//   v(x, y, z) = sum over x', y', z' of G_nx(x - x') G_ny(y - y') G_nz(z - z') u(x', y', z').
#include "speedwell/apps/npb/ft/reference.hpp"

#include <cmath>
#include <numbers>
#include <numeric>

#include "speedwell/apps/npb/reference_random.hpp"

namespace speedwell::npb::ft {
namespace {

using Real = long double;
using Point = std::complex<long double>;

constexpr Real pi = std::numbers::pi_v<Real>;

std::vector<Point> initial_field(const Problem& problem) {
  std::vector<Point> u(static_cast<std::size_t>(points(problem)));
  ReferenceRandom random(314159265);
  for (Point& z : u) {
    const Real re = random.next();
    z = {re, random.next()};
  }
  return u;
}

// G_n(d) for d = 0 .. n - 1.
std::vector<Real> heat_kernel(std::int64_t n, int t) {
  std::vector<Real> kernel(static_cast<std::size_t>(n), 0);
  for (std::int64_t d = 0; d < n; ++d)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto k = static_cast<Real>((i + n / 2) % n - n / 2);
      const auto angle = 2 * pi * static_cast<Real>(i * d % n) / static_cast<Real>(n);
      kernel[static_cast<std::size_t>(d)] +=
          std::exp(-4 * 1e-6L * pi * pi * k * k * t) * std::cos(angle) / static_cast<Real>(n);
    }
  return kernel;
}

// The kernel centred at a point: entry x' is G_n(x - x').
std::vector<Real> centred(const std::vector<Real>& kernel, std::int64_t x) {
  const auto n = static_cast<std::int64_t>(kernel.size());
  std::vector<Real> around(kernel.size());
  for (std::int64_t i = 0; i < n; ++i)
    around[static_cast<std::size_t>(i)] = kernel[static_cast<std::size_t>(((x - i) % n + n) % n)];
  return around;
}

Point point_of_solution(const Problem& p, const std::vector<Point>& u, const std::vector<Real>& around_x,
                        const std::vector<Real>& around_y, const std::vector<Real>& around_z) {
  Point v = 0;
  const Point* row = u.data();
  for (std::int64_t k = 0; k < p.nz; ++k)
    for (std::int64_t j = 0; j < p.ny; ++j, row += p.nx) {
      Real re = 0, im = 0;
      for (std::int64_t i = 0; i < p.nx; ++i) {
        re += around_x[static_cast<std::size_t>(i)] * row[i].real();
        im += around_x[static_cast<std::size_t>(i)] * row[i].imag();
      }
      v += Point(re, im) * (around_y[static_cast<std::size_t>(j)] * around_z[static_cast<std::size_t>(k)]);
    }
  return v;
}

}  // namespace

Checksums reference(const Problem& problem) {
  require_valid(problem);
  const std::vector<Point> u = initial_field(problem);
  // Terms with the same three coordinates are computed once.
  const std::int64_t period = std::lcm(std::lcm(problem.nx, problem.ny), problem.nz);
  Checksums checksums;
  for (int t = 1; t <= problem.iterations; ++t) {
    const auto x = heat_kernel(problem.nx, t), y = heat_kernel(problem.ny, t), z = heat_kernel(problem.nz, t);
    Point sum = 0;
    for (std::int64_t q = 1; q <= std::min<std::int64_t>(period, 1024); ++q) {
      const std::int64_t times = (1024 - q) / period + 1;
      sum +=
          static_cast<Real>(times) * point_of_solution(problem, u, centred(x, q), centred(y, 3 * q), centred(z, 5 * q));
    }
    checksums.emplace_back(static_cast<double>(sum.real()), static_cast<double>(sum.imag()));
  }
  return checksums;
}

}  // namespace speedwell::npb::ft

// Verification of a solution with a given tolerance, and of a sum. Tolerances:
//
// A solution. Whatever the algorithm, ||b - A x|| / ||b|| in extended precision must meet the requested tolerance, plus
// 1 % for the rounding of the norm in another order, plus the effect of rounding x to T: u ||A|| ||x|| / ||b||, of
// which recurrences retain a small multiple (Greenbaum 1997); we admit 16.
//
// A sum of n = nx ny nz squares, which cannot cancel: a term is subject to its own rounding and to as many additions as
// on the longest path of any variant, the study's nx + ny + nz, 2^-18 n in each thread of a grid and 256 of lanes,
// warps and blocks (Higham 2002, 4.2). Error and tolerance are relative to the sum.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/stencil/reference.hpp"
#include "speedwell/apps/stencil/verify.hpp"

namespace speedwell::stencil {
namespace {

template <class T>
constexpr double unit = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;

template <class T>
double norm_of(std::span<const T> v) {
  return std::sqrt(static_cast<double>(reference_sum_of_squares(v.data(), static_cast<std::int64_t>(v.size()))));
}

template <class T>
core::Verdict verdict_of(double residual, double norm, std::span<const T> b, std::span<const T> x, double tolerance,
                         const CgResult& result) {
  const char* const oracle = "||b - A x|| / ||b|| in extended precision over the tolerance and rounding";
  if (result.outcome != CgOutcome::converged)
    return core::Verdict::from_error(std::numeric_limits<double>::infinity(), 1,
                                     std::string(oracle) + ": " + numerics::to_string(result.outcome));
  const double of_b = norm_of(b);
  const double rounding = of_b > 0 ? 16 * unit<T> * norm * norm_of(x) / of_b : 0;
  return core::Verdict::from_error(residual / (1.01 * tolerance + rounding), 1, oracle);
}

}  // namespace

template <class T>
core::Verdict verify_solution(const Operator<T>& a, std::span<const T> b, double tolerance, const CgResult& result,
                              std::span<const T> got) {
  if (got.size() != b.size() || got.size() != static_cast<std::size_t>(a.grid.size()))
    throw std::invalid_argument("stencil: " + std::to_string(got.size()) + " values to verify, " +
                                std::to_string(a.grid.size()) + " cells");
  return judge<T>(reference_residual(a, b.data(), got.data()), reference_norm(a), b, got, tolerance, result);
}

template <class T>
core::Verdict verify_solution(const Csr<T>& a, std::span<const T> b, double tolerance, const CgResult& result,
                              std::span<const T> got) {
  if (got.size() != b.size() || got.size() != static_cast<std::size_t>(a.rows) || a.rows != a.columns)
    throw std::invalid_argument("stencil: " + std::to_string(got.size()) + " values to verify, " +
                                std::to_string(a.rows) + " rows");
  long double left = 0, right = 0;
  double norm = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    long double r = b[row];
    double magnitudes = 0;
    for (std::int64_t e = a.offsets[row]; e < a.offsets[row + 1]; ++e) {
      const auto at = static_cast<std::size_t>(e);
      r -= static_cast<long double>(a.value[at]) * got[static_cast<std::size_t>(a.column[at])];
      magnitudes += std::abs(static_cast<double>(a.value[at]));
    }
    norm = std::max(norm, magnitudes);
    left += r * r;
    right += static_cast<long double>(b[row]) * b[row];
  }
  const auto residual = static_cast<double>(right > 0 ? std::sqrt(left / right) : std::sqrt(left));
  return judge<T>(residual, norm, b, got, tolerance, result);
}

// Lanes: on the longest way of a term to the sum are 2048 / 16 additions to a lane of the host, 16 lanes and the halves
// of at most 2^31 pieces, or on a GPU the n / 2^18 terms of one of 2^18 threads and 40 more; 256 + n / 2^18 in all, in
// double whatever the data are: gamma of so many roundings (Higham 2002, 3.1), 8.5e-14 of 512^3 terms. One of them
// dropped is 1e-8.
//
// Stages in T: a running sum of m terms of one size rounds partial sums of i / m of its total, each by a random share
// of u of root mean square u / sqrt(3), so its error has the standard deviation u sqrt(m) / 3 of the total. Columns and
// rows of random data round independently: nx ny columns of nz terms, nx of ny, and one of nx leave
//   sigma = u / 3 sqrt(nx + ny / nx + nz / (nx ny) + 3 / n),
// the last for the squares. We admit 8 sigma, which random roundings exceed once in 10^15 sums; all with one sign,
// which they are not, would be nx + ny + nz units. Seen: 0.3 to 1.1 sigma of 64^3 to 512^3 terms in float. At 512^3 a
// row of 512 terms is 3.8e-6 of the sum and 8 sigma 3.6e-6. Data that are formulas may round alike: of these all with
// one sign.
template <class T>
core::Verdict verify_sum(const Grid& grid, Values values, SumOrder order, long double expected, double got) {
  const auto n = static_cast<double>(grid.size()), nx = static_cast<double>(grid.nx), ny = static_cast<double>(grid.ny),
             nz = static_cast<double>(grid.nz);
  double tolerance = 8 * unit<T> / 3 * std::sqrt(nx + ny / nx + nz / (nx * ny) + 3 / n);
  if (order == SumOrder::lanes || values != Values::random) {
    const double additions = order == SumOrder::lanes ? 256 + n * 0x1p-18 : nx + ny + nz + 1;
    const double ku = additions * (order == SumOrder::lanes ? unit<double> : unit<T>);
    tolerance = ku / (1 - ku);
  }
  return core::Verdict::from_error(
      static_cast<double>(std::abs(static_cast<long double>(got) - expected) / (expected > 0 ? expected : 1)),
      tolerance, "compensated sum in extended precision, relative error");
}

#define SPEEDWELL_VERIFY(T)                                                                               \
  template core::Verdict verify_solution(const Operator<T>&, std::span<const T>, double, const CgResult&, \
                                         std::span<const T>);                                             \
  template core::Verdict verify_solution(const Csr<T>&, std::span<const T>, double, const CgResult&,      \
                                         std::span<const T>);                                             \
  template core::Verdict verify_sum<T>(const Grid&, Values, SumOrder, long double, double);
SPEEDWELL_VERIFY(float)
SPEEDWELL_VERIFY(double)
#undef SPEEDWELL_VERIFY

}  // namespace speedwell::stencil

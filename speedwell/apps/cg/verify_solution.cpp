// Verification of a solution with a given tolerance. Tolerances:
//
// A solution. Whatever the algorithm, ||b - A x|| / ||b|| in extended precision must meet the requested tolerance, plus
// 1 % for the rounding of the norm in another order, plus the effect of rounding x to T: u ||A|| ||x|| / ||b||, of
// which recurrences retain a small multiple (Greenbaum 1997); we admit 16.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/cg/verify.hpp"
#include "speedwell/apps/stencil/verify/reference.hpp"

namespace speedwell::cg {

using sparse::Csr;
using stencil::CgOutcome;
using stencil::CgResult;
using stencil::Operator;
using stencil::reference_sum_of_squares;

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
                                     std::string(oracle) + ": " + krylov::to_string(result.outcome));
  const double of_b = norm_of(b);
  const double rounding = of_b > 0 ? 16 * unit<T> * norm * norm_of(x) / of_b : 0;
  return core::Verdict::from_error(residual / (1.01 * tolerance + rounding), 1, oracle);
}

}  // namespace

template <class T>
core::Verdict verify_solution(const Operator<T>& a, std::span<const T> b, double tolerance, const CgResult& result,
                              std::span<const T> got) {
  if (got.size() != b.size() || got.size() != static_cast<std::size_t>(a.grid.size()))
    throw std::invalid_argument("cg: " + std::to_string(got.size()) + " values to verify, " +
                                std::to_string(a.grid.size()) + " cells");
  return verdict_of<T>(reference_residual(a, b.data(), got.data()), reference_norm(a), b, got, tolerance, result);
}

template <class T>
core::Verdict verify_solution(const Csr<T>& a, std::span<const T> b, double tolerance, const CgResult& result,
                              std::span<const T> got) {
  if (got.size() != b.size() || got.size() != static_cast<std::size_t>(a.rows) || a.rows != a.columns)
    throw std::invalid_argument("cg: " + std::to_string(got.size()) + " values to verify, " + std::to_string(a.rows) +
                                " rows");
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
  return verdict_of<T>(residual, norm, b, got, tolerance, result);
}

#define SPEEDWELL_VERIFY(T)                                                                               \
  template core::Verdict verify_solution(const Operator<T>&, std::span<const T>, double, const CgResult&, \
                                         std::span<const T>);                                             \
  template core::Verdict verify_solution(const Csr<T>&, std::span<const T>, double, const CgResult&,      \
                                         std::span<const T>);
SPEEDWELL_VERIFY(float)
SPEEDWELL_VERIFY(double)
#undef SPEEDWELL_VERIFY

}  // namespace speedwell::cg

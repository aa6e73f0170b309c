// The verdict on x after k iterations of conjugate gradients. Three errors have bounds, where u is the unit roundoff of
// T and n the number of cells.
//
// First, the reported residual against the true one, ||b - A x|| / ||b||. The residual of the recurrence leaves the
// true one by at most what the rounding of x and of A p adds in each iteration: k u ||A|| ||x|| in all, times a small
// multiple of the number of entries in a row (Greenbaum, SIAM J. Matrix Anal. Appl. 18 (1997), 535), where ||x|| grows
// from 0. The bound is 16 k u ||A|| ||x|| / ||b||, called the drift.
//
// Second, the reported residual against the reference's. Both drift. Besides, a coefficient alpha or beta is a quotient
// of two sums of squares, each with a relative error of at most gamma_d, d = 256 + n / 2^18 additions in double
// (apps/stencil/verify_sum.cpp), which changes the residual by that part of its step, ||r_i|| + ||r_i+1|| at most. The
// bound is twice the drift and 4 gamma_d (1 + sum of ||r_i|| / ||b||).
//
// Third, the solution against the reference's, by A times their difference relative to b: the norm of a residual hardly
// changes with an error that is orthogonal to it, but this does in proportion. The bound is the drift and the same sum.
//
// The largest error seen is 0.05 of its bound, with 8 to 400 iterations and up to 256^3 cells, in f64 and f32.
#include "speedwell/apps/cg/verify.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/stencil/verify/reference.hpp"
#include "speedwell/apps/stencil/verify/verify.hpp"

namespace speedwell::cg {

using stencil::CgResult;
using stencil::gamma;
using stencil::Operator;
using stencil::reference_product;
using stencil::reference_sum_of_squares;

namespace {

void require_size(std::int64_t cells, std::size_t got) {
  if (got != static_cast<std::size_t>(cells))
    throw std::invalid_argument("cg: " + std::to_string(got) + " values to verify, " + std::to_string(cells) +
                                " cells");
}

}  // namespace

template <class T>
core::Verdict verify_cg(const Operator<T>& a, std::span<const T> b, const ReferenceCg& expected, const CgResult& result,
                        std::span<const T> got) {
  require_size(a.grid.size(), got.size());
  const char* const oracle =
      "residual of the definition, residual and solution of textbook iterations, error over its bound";
  const double infinite = std::numeric_limits<double>::infinity();
  if (result.iterations < 1 || static_cast<std::size_t>(result.iterations) > expected.residuals.size())
    return core::Verdict::from_error(infinite, 1, oracle);
  const auto size = static_cast<std::int64_t>(got.size());
  const long double of_x = reference_sum_of_squares(got.data(), size), of_b = reference_sum_of_squares(b.data(), size);
  const double u = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  const double drift = 16 * result.iterations * u * reference_norm(a) * static_cast<double>(std::sqrt(of_x / of_b));
  const double actual = reference_residual(a, b.data(), got.data());
  const double textbook = expected.residuals[static_cast<std::size_t>(result.iterations) - 1];
  std::vector<T> off(got.size());
#pragma omp parallel for
  for (std::size_t c = 0; c < got.size(); ++c) off[c] = static_cast<T>(static_cast<double>(got[c]) - expected.x[c]);
  const std::vector<double> product = reference_product(a, off.data());
  const auto apart = static_cast<double>(std::sqrt(reference_sum_of_squares(product.data(), size) / of_b));
  double steps = 1;
  for (const double residual : expected.residuals) steps += residual;
  const double rounding = drift + 4 * gamma<double>(256 + static_cast<double>(size) * 0x1p-18) * steps;
  // A run that stopped before the reference, because no direction was left, is compared with the reference's last
  // solution, from which its own may differ by the residuals of both.
  const bool all = static_cast<std::size_t>(result.iterations) == expected.residuals.size();
  const double left = all ? 0 : textbook + expected.residuals.back();
  double worst = 0;
  for (const double error : {std::abs(actual - result.residual) / drift,
                             std::abs(result.residual - textbook) / (rounding + drift), apart / (rounding + left)})
    if (!(error <= worst)) worst = error;  // also true for a NaN, which then persists
  return core::Verdict::from_error(worst, 1, oracle);
}

template core::Verdict verify_cg(const Operator<float>&, std::span<const float>, const ReferenceCg&, const CgResult&,
                                 std::span<const float>);
template core::Verdict verify_cg(const Operator<double>&, std::span<const double>, const ReferenceCg&, const CgResult&,
                                 std::span<const double>);

}  // namespace speedwell::cg

// The verdict. Tolerances:
//
// One product. The longest way of a value to the result is form L's: a difference, three factors of its face and six
// additions; with the coefficients' own products at most 12 roundings, whatever the order and fused or not. So
// |y - exact| <= gamma_12 s, s the sum of the magnitudes of all terms, gamma_k = k u / (1 - k u) (Higham 2002, 3.1). A
// difference x_P - x_N counts as two terms in s, which covers its rounding. We admit gamma_16 s: the oracle itself is
// rounded once more in comparing.
//
// n sweeps of positive weights that sum to 1. Each adds at most gamma_9 m, m the largest magnitude (a value passes at
// most one product, six sums and the rounding of the result), which no later sweep enlarges: both sides are within
// n gamma_9 m (1 + n gamma_9) of the exact answer. We admit 2 n gamma_10 m of one from the other.
#include "speedwell/apps/stencil/verify/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "speedwell/apps/stencil/verify/reference.hpp"

namespace speedwell::stencil {
namespace {

void require_size(std::int64_t cells, std::size_t got) {
  if (got != static_cast<std::size_t>(cells))
    throw std::invalid_argument("stencil: " + std::to_string(got) + " values to verify, " + std::to_string(cells) +
                                " cells");
}

}  // namespace

template <class T>
core::Verdict verify_product(const Fields<T>& fields, std::span<const T> got) {
  const Operator<T>& a = fields.op();
  const Grid& g = a.grid;
  require_size(g.size(), got.size());
  const bool exact = fields.problem().values == Values::dyadic;
  std::int64_t differing = 0;
  double worst = 0;
  bool nan = false;
#pragma omp parallel for collapse(2) reduction(+ : differing) reduction(max : worst) reduction(|| : nan)
  for (std::int64_t k = 0; k < g.nz; ++k)
    for (std::int64_t j = 0; j < g.ny; ++j)
      for (std::int64_t i = 0; i < g.nx; ++i) {
        const Exact expected = reference_product_at(a, fields.x().data(), i, j, k);
        const double distance = static_cast<double>(
            std::abs(static_cast<long double>(got[static_cast<std::size_t>(g.cell(i, j, k))]) - expected.value));
        nan = nan || std::isnan(distance);
        if (distance == 0) continue;
        ++differing;
        worst = std::max(worst, distance / (gamma<T>(16) * static_cast<double>(expected.magnitude)));
      }
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  if (exact)
    return core::Verdict::from_error(nan ? not_a_number : static_cast<double>(differing), 0,
                                     "definition in extended precision, cells that differ");
  return core::Verdict::from_error(nan ? not_a_number : worst, 1,
                                   "definition in extended precision, error over its bound");
}

template <class T>
core::Verdict verify_sweeps(const Fields<T>& fields, int sweeps, std::span<const T> expected, std::span<const T> got) {
  require_size(fields.op().grid.size(), got.size());
  require_size(fields.op().grid.size(), expected.size());
  double max_difference = 0, largest = 0;
  bool nan = false;
  std::int64_t differing = 0;
#pragma omp parallel for reduction(+ : differing) reduction(max : max_difference, largest) reduction(|| : nan)
  for (std::size_t c = 0; c < got.size(); ++c) {
    const double distance = std::abs(static_cast<double>(got[c]) - static_cast<double>(expected[c]));
    nan = nan || std::isnan(distance);
    differing += distance != 0;
    max_difference = std::max(max_difference, distance);
    largest = std::max(largest, std::abs(static_cast<double>(fields.x()[c])));
  }
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  if (fields.problem().values == Values::dyadic && sweeps <= exact_sweeps<T>())
    return core::Verdict::from_error(nan ? not_a_number : static_cast<double>(differing), 0,
                                     "plain sweeps in extended precision, cells that differ");
  return core::Verdict::from_error(nan ? not_a_number : max_difference, 2 * sweeps * gamma<T>(10) * largest,
                                   "plain sweeps in extended precision, largest difference");
}

template core::Verdict verify_product(const Fields<float>&, std::span<const float>);
template core::Verdict verify_product(const Fields<double>&, std::span<const double>);
template core::Verdict verify_sweeps(const Fields<float>&, int, std::span<const float>, std::span<const float>);
template core::Verdict verify_sweeps(const Fields<double>&, int, std::span<const double>, std::span<const double>);

}  // namespace speedwell::stencil

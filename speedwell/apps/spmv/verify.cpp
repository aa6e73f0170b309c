// Verification of a sparse product: the sum of every row in extended precision. A row of m entries is subject to at
// most m + 1 roundings on any path to its result, so that |y - exact| <= gamma_(m+2) sum |a x| (Higham 2002, 3.1). The
// tolerance is 0 if the data are small multiples of powers of two.
#include "speedwell/apps/spmv/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace speedwell::spmv {

using sparse::Csr;

template <class T>
core::Verdict verify_sparse(const Csr<T>& a, std::span<const T> x, bool exact, std::span<const T> got) {
  if (got.size() != static_cast<std::size_t>(a.rows))
    throw std::invalid_argument("spmv: " + std::to_string(got.size()) + " values to verify, " + std::to_string(a.rows) +
                                " rows");
  double worst = 0;
  std::int64_t differing = 0;
  bool nan = false;
#pragma omp parallel for schedule(static) reduction(max : worst) reduction(+ : differing) reduction(|| : nan)
  for (std::int64_t i = 0; i < a.rows; ++i) {
    long double sum = 0, magnitude = 0;
    const std::int64_t begin = a.offsets[static_cast<std::size_t>(i)], end = a.offsets[static_cast<std::size_t>(i) + 1];
    for (std::int64_t e = begin; e < end; ++e) {
      const long double term = static_cast<long double>(a.value[static_cast<std::size_t>(e)]) *
                               x[static_cast<std::size_t>(a.column[static_cast<std::size_t>(e)])];
      sum += term;
      magnitude += std::abs(term);
    }
    const auto distance =
        static_cast<double>(std::abs(static_cast<long double>(got[static_cast<std::size_t>(i)]) - sum));
    nan = nan || std::isnan(distance);
    if (distance == 0) continue;
    ++differing;
    const double mu = static_cast<double>(end - begin + 2) * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
    worst = std::max(worst, distance / (mu / (1 - mu) * static_cast<double>(magnitude)));
  }
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  if (exact)
    return core::Verdict::from_error(nan ? not_a_number : static_cast<double>(differing), 0,
                                     "rows in extended precision, those that differ");
  return core::Verdict::from_error(nan ? not_a_number : worst, 1, "rows in extended precision, error over its bound");
}

template core::Verdict verify_sparse(const Csr<float>&, std::span<const float>, bool, std::span<const float>);
template core::Verdict verify_sparse(const Csr<double>&, std::span<const double>, bool, std::span<const double>);

}  // namespace speedwell::spmv

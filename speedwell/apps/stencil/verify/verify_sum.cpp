// Verification of a sum. Tolerances:
//
// A sum of n = nx ny nz squares, which cannot cancel: a term is subject to its own rounding and to as many additions as
// on the longest path of any variant, the study's nx + ny + nz, 2^-18 n in each thread of a grid and 256 of lanes,
// warps and blocks (Higham 2002, 4.2). Error and tolerance are relative to the sum.
#include <cmath>
#include <limits>

#include "speedwell/apps/stencil/verify/verify.hpp"

namespace speedwell::stencil {
namespace {

template <class T>
constexpr double unit = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;

}  // namespace

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

template core::Verdict verify_sum<float>(const Grid&, Values, SumOrder, long double, double);
template core::Verdict verify_sum<double>(const Grid&, Values, SumOrder, long double, double);

}  // namespace speedwell::stencil

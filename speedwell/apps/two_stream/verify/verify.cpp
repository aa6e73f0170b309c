// Verification, the same for all variants.
//
// Fluxes: why 1000 eps, 2.2e-13 in f64. A flux is a sum of products of layer coefficients, a factor for each layer that
// a path of light passes. A layer's factors R, T and beam are within ten roundings of u = eps / 2 of their scale
// (layer_test.cpp) and the recursion adds six: 16 u for each of 128 layers, all with one sign, are 2048 u = 1024 eps.
// Paths with many scatterings pass more layers, but contribute less. The oracle's own error is the same in f64 and
// nothing in f32.
//
// Fluxes of cloudy columns: why 2560 eps, 5.7e-13 in f64. A path of light passes, in each layer, the ten roundings of
// the layer's factors, seven of each of the two crossings of an interface (the coefficients of a crossing have four,
// its product with the light three), ten of the elimination and solution of three equations and six of the products
// that follow: 40 u for each of 128 layers are 2560 eps. No term but the pivots is a difference: all shares and factors
// are at least 0, and the diagonal dominates each column of the 3 x 3 matrices, so that elimination without pivoting
// does not make its terms grow. The pivots are as in the scalar recursion: many scatterings contribute less. The
// oracle's error is nothing, in extended precision, and the largest seen is an eighth, of 128 layers in f32.
//
// Coefficients: why 64 eps and, in f64, 256 eps more. The fractions of the beam are differences of integrals of at most
// 1, each within ten roundings, divided by k: at k = 0.1, where layer.hpp uses another form, 2 * 10 u / 0.1 = 100 u
// and, with the factors before it, less than 128 u = 64 eps. The oracle's closed form is used to within 1 % of lambda =
// 1 / mu0: its terms of Rdir and Tdir are up to 1 / 0.01 in size there and take five roundings: 500 u of f64, about 256
// eps, and nothing in f32. The largest seen: 72 eps in f64 and 8 in f32, of 8 * 10^6 layers on an H200.
#include <algorithm>
#include <cmath>
#include <limits>

#include "speedwell/apps/two_stream/problem.hpp"

namespace speedwell::two_stream {
namespace {

template <class T>
constexpr double tolerance = 1000 * std::numeric_limits<T>::epsilon();
template <class T>
constexpr double cloudy_tolerance = 2560 * std::numeric_limits<T>::epsilon();
template <class T>
constexpr double coefficient_tolerance = 64 * std::numeric_limits<T>::epsilon() +
                                         256 * std::numeric_limits<double>::epsilon();

// A maximum that keeps a NaN.
void raise(double& largest, double candidate) {
  if (!std::isnan(largest) && !(candidate <= largest)) largest = candidate;
}

// Compares the coefficients of so many layers with what `expected` returns for each.
template <class T, class Expected>
core::Verdict compare(std::int64_t layers, Source source, const Coefficients<const T>& got, const Expected& expected) {
  const bool sun = source == Source::sun;
  double largest = 0;
#pragma omp parallel
  {
    double own = 0;
    const auto hold = [&](T value, double answer) { raise(own, std::abs(static_cast<double>(value) - answer)); };
#pragma omp for schedule(dynamic, layers_at_a_time)
    for (std::int64_t k = 0; k < layers; ++k) {
      const LayerCoefficients e = expected(k);
      hold(got.reflected[k], e.reflected);
      hold(got.transmitted[k], e.transmitted);
      hold(got.top[k], e.top);
      hold(got.bottom[k], e.bottom);
      if (sun) hold(got.direct[k], e.direct);
    }
#pragma omp critical
    raise(largest, own);
  }
  return core::Verdict::from_error(largest, coefficient_tolerance<T>,
                                   "longhand layers, largest distance of a coefficient");
}

}  // namespace

template <class T>
core::Verdict verify(const Problem& problem, const Answer& expected, const Fluxes<const T>& got) {
  const std::int64_t levels = problem.layers + 1, columns = problem.columns;
  double largest = 0;
  for (std::int64_t c = 0; c < columns; ++c) {
    double scale = 0, distance = 0;
    for (std::int64_t i = 0; i < levels; ++i) {
      const std::int64_t k = i * columns + c;
      scale = std::max({scale, std::abs(expected.up[k]), std::abs(expected.down[k]), std::abs(expected.direct[k])});
      raise(distance, std::abs(static_cast<double>(got.up[k]) - expected.up[k]));
      raise(distance, std::abs(static_cast<double>(got.down[k]) - expected.down[k]));
      if (problem.source == Source::sun)
        raise(distance, std::abs(static_cast<double>(got.direct[k]) - expected.direct[k]));
    }
    // A column at night has no flux: its fluxes must be exactly 0.
    raise(largest, scale > 0 ? distance / scale : distance == 0 ? 0 : distance / 0.0);
  }
  if (problem.kernel == Kernel::triple)
    return core::Verdict::from_error(largest, cloudy_tolerance<T>,
                                     "banded system of three regions, largest distance in the column's largest flux");
  return core::Verdict::from_error(largest, tolerance<T>,
                                   "longhand columns, largest distance in the column's largest flux");
}

template <class T>
core::Verdict verify(const Problem& problem, const Atmosphere<T>& a, const Coefficients<const T>& got) {
  const LayerOracle<T> oracle(a, problem.options);
  return compare(oracle.layers(), a.source, got, [&](std::int64_t k) { return oracle(k); });
}

template <class T>
core::Verdict verify(const Problem& problem, const LayerAnswers& expected, const Coefficients<const T>& got) {
  return compare(problem.columns * problem.layers * problem.points, problem.source, got,
                 [&](std::int64_t k) { return expected[static_cast<std::size_t>(k)]; });
}

template core::Verdict verify(const Problem&, const Answer&, const Fluxes<const float>&);
template core::Verdict verify(const Problem&, const Answer&, const Fluxes<const double>&);
template core::Verdict verify(const Problem&, const LayerAnswers&, const Coefficients<const float>&);
template core::Verdict verify(const Problem&, const LayerAnswers&, const Coefficients<const double>&);
template core::Verdict verify(const Problem&, const Atmosphere<float>&, const Coefficients<const float>&);
template core::Verdict verify(const Problem&, const Atmosphere<double>&, const Coefficients<const double>&);

}  // namespace speedwell::two_stream

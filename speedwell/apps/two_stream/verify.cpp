// The one verdict on every variant.
//
// Why 1000 eps, 2.2e-13 in f64. A flux is a sum of products of layer coefficients, a factor for each layer that a path
// of light passes. A layer's factors R, T and beam are within ten roundings of u = eps / 2 of their scale
// (layer_test.cpp) and the recursion adds six: 16 u for each of 128 layers, all with one sign, are 2048 u = 1024 eps.
// Paths that turn often pass more layers, but those weigh less. The oracle's own error is the same in f64 and nothing
// in f32.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "speedwell/apps/two_stream/problem.hpp"

namespace speedwell::two_stream {
namespace {

template <class T>
constexpr double tolerance = 1000 * std::numeric_limits<T>::epsilon();

// A maximum that keeps a NaN.
void raise(double& largest, double candidate) {
  if (!std::isnan(largest) && !(candidate <= largest)) largest = candidate;
}

}  // namespace

template <class T>
Expected expect(const Problem& problem, const Atmosphere<T>& a) {
  Expected expected;
  if (problem.kernel == Kernel::column) {
    expected.fluxes = reference(a, problem.options);
    return expected;
  }
  const std::int64_t all = a.columns * a.layers * a.points;
  expected.stride = (all + most_layers - 1) / most_layers;
  while (expected.stride > 1 && std::gcd(expected.stride, a.columns) > 1) ++expected.stride;
  expected.layers.resize(static_cast<std::size_t>((all + expected.stride - 1) / expected.stride));
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < all; k += expected.stride) {
    LayerOptics<double> layer{static_cast<double>(a.optical_depth[k]), static_cast<double>(a.albedo[k]),
                              static_cast<double>(a.asymmetry[k])};
    if (problem.options.delta) layer = delta_scaled(layer);
    expected.layers[k / expected.stride] =
        a.source == Source::sun
            ? reference_sun(problem.options.closure, layer, static_cast<double>(a.mu0[k % a.columns]))
            : reference_thermal(problem.options.closure, layer);
  }
  return expected;
}

template <class T>
core::Verdict verify(const Problem& problem, const Expected& expected, const Fluxes<const T>& got) {
  const std::int64_t levels = problem.layers + 1, columns = problem.columns;
  const Answer& e = expected.fluxes;
  double largest = 0;
  for (std::int64_t c = 0; c < columns; ++c) {
    double scale = 0, distance = 0;
    for (std::int64_t i = 0; i < levels; ++i) {
      const std::int64_t k = i * columns + c;
      scale = std::max({scale, std::abs(e.up[k]), std::abs(e.down[k]), std::abs(e.direct[k])});
      raise(distance, std::abs(static_cast<double>(got.up[k]) - e.up[k]));
      raise(distance, std::abs(static_cast<double>(got.down[k]) - e.down[k]));
      if (problem.source == Source::sun) raise(distance, std::abs(static_cast<double>(got.direct[k]) - e.direct[k]));
    }
    raise(largest, distance / scale);
  }
  return core::Verdict::judge(largest, tolerance<T>, "longhand columns, largest distance in the column's largest flux");
}

template <class T>
core::Verdict verify(const Problem& problem, const Expected& expected, const Coefficients<const T>& got) {
  const std::int64_t all = problem.columns * problem.layers * problem.points;
  const bool sun = problem.source == Source::sun;
  double largest = 0;
#pragma omp parallel
  {
    double own = 0;
#pragma omp for schedule(static)
    for (std::int64_t k = 0; k < all; ++k) {
      const double R = got.reflected[k], T_ = got.transmitted[k], top = got.top[k], bottom = got.bottom[k];
      const double direct = sun ? static_cast<double>(got.direct[k]) : 0;
      if (k % expected.stride == 0) {
        const LayerAnswer<double>& e = expected.layers[k / expected.stride];
        raise(own, std::abs(R - e.R));
        raise(own, std::abs(T_ - e.T));
        raise(own, std::abs(top - (sun ? e.Rdir : e.c1)));
        raise(own, std::abs(bottom - (sun ? e.Tdir : e.c2)));
        if (sun) raise(own, std::abs(direct - e.T0));
      } else {  // shares of what comes in; 1e-4 for Eddington's negative ones and rounding
        const double sum = sun ? top + bottom + direct : std::abs(top) + std::abs(bottom);
        if (!(std::abs(R) + T_ <= 1.2 && sum <= 2.2 && sum >= -1)) own = std::numeric_limits<double>::infinity();
      }
    }
#pragma omp critical
    raise(largest, own);
  }
  return core::Verdict::judge(largest, tolerance<T>, "longhand layers, largest distance of a coefficient");
}

template Expected expect(const Problem&, const Atmosphere<float>&);
template Expected expect(const Problem&, const Atmosphere<double>&);
template core::Verdict verify(const Problem&, const Expected&, const Fluxes<const float>&);
template core::Verdict verify(const Problem&, const Expected&, const Fluxes<const double>&);
template core::Verdict verify(const Problem&, const Expected&, const Coefficients<const float>&);
template core::Verdict verify(const Problem&, const Expected&, const Coefficients<const double>&);

}  // namespace speedwell::two_stream

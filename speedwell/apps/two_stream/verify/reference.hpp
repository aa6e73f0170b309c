// The oracle: the published equations written out in the order of the papers, for one layer and one column at a time.
// It shares no code with the variants. Real is double or long double.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "speedwell/apps/two_stream/two_stream.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::two_stream {

template <class Real>
struct LayerOptics {
  Real tau = 0, omega = 0, g = 0;
};

/// tau (1 - omega f), omega (1 - f) / (1 - omega f), (g - f) / (1 - f) with f = g^2.
template <class Real>
LayerOptics<Real> delta_scaled(const LayerOptics<Real>& layer);

template <class Real>
struct LayerAnswer {
  Real R = 0, T = 1;
  Real T0 = 1, Rdir = 0, Tdir = 0;  // sun: per direct flux at the top
  Real c1 = 1, c2 = 0;              // thermal
};

/// Edwards-Slingo's coefficients of a layer in sunlight; the downward flux is the diffuse one. R and T after Meador &
/// Weaver (1980) with hyperbolic tangents. If lambda and 1 / mu0 are within 1 %, where the closed form loses digits,
/// the result is that of by_doubling().
template <class Real>
LayerAnswer<Real> reference_sun(Closure closure, const LayerOptics<Real>& layer, Real mu0);

/// The same without the closed solution: the differential equations of a thin layer by Taylor's series, doubled until
/// the layer has its thickness (van de Hulst's adding method). It does not lose digits for any input.
template <class Real>
LayerAnswer<Real> by_doubling(Closure closure, const LayerOptics<Real>& layer, Real mu0);

/// Coefficients of an emitting layer. c1 and c2 of thin layers by Gauss's quadrature of the layer's response.
template <class Real>
LayerAnswer<Real> reference_thermal(Closure closure, const LayerOptics<Real>& layer);

/// The coefficients of a layer as the variants return them: `top` and `bottom` are Rdir and Tdir in sunlight, c1 and c2
/// of an emitting layer; `direct` is T0.
struct LayerCoefficients {
  double reflected, transmitted, top, bottom, direct;
};
/// Those of all layers, [g][layer][column].
using LayerAnswers = core::HostBuffer<LayerCoefficients>;

/// Layers that a thread computes or compares in a row. The oracle takes a hundred times as long for layers near
/// resonance as for others, and they are adjacent in columns.
inline constexpr std::int64_t layers_at_a_time = 4096;

/// Computes the coefficients of the layers of an atmosphere, which it refers to, one at a time.
template <class T>
class LayerOracle {
 public:
  LayerOracle(const Atmosphere<T>& atmosphere, const Options& options) : a_(atmosphere), options_(options) {}
  std::int64_t layers() const { return a_.columns * a_.layers * a_.points; }
  /// Those of layer `k` of layers(), in the order [g][layer][column].
  LayerCoefficients operator()(std::int64_t k) const;

 private:
  Atmosphere<T> a_;
  Options options_;
};

/// Computes the coefficients of all layers on all threads: 40 bytes a layer. The atmosphere must have passed
/// require_atmosphere().
template <class T>
LayerAnswers reference_layers(const Atmosphere<T>& atmosphere, const Options& options);

/// The tolerances of the codes that the equations come from, for comparisons with them.
struct Tolerances {
  double cap;         // omega at most 1 - cap
  double near_beam;   // |lambda - 1 / mu0| below this: sum, diff, lambda are multiplied by 1 + near_beam
  double added;       // to numerator and denominator of c1, and in c2
  double asymptotic;  // c2's series below this optical depth
};
/// FAMOUS (Unified Model 4.5) and its successor.
inline constexpr Tolerances famous_tolerances = {32 * 1.42e-14, 32 * 1.42e-14, 1.1920928955078125e-7, 2.69e-5};
inline constexpr Tolerances socrates_tolerances = {32 * 2.220446049250313e-16, 32 * 2.220446049250313e-16,
                                                   1.4901161193847656e-8, 1.220703125e-4};

/// Edwards-Slingo's original form, term by term, with their tolerances. It loses digits where the reference does not.
/// With mu0 = 0 the layer is thermal.
LayerAnswer<double> original_layer(Closure closure, LayerOptics<double> layer, double mu0,
                                   const Tolerances& tolerances);

/// One column at one point of the spectrum.
template <class Real>
struct Column {
  Closure closure = Closure::pifm80;
  std::vector<LayerOptics<Real>> layers;  // already delta-scaled if requested
  Source source = Source::sun;
  Real mu0 = 1, incident = 0, ground_direct = 0, ground_diffuse = 0;  // mu0 <= 0: night
  std::vector<Real> planck;                                           // at levels
  std::vector<Real> planck_middle;                                    // empty: linear
  Real planck_ground = 0, emissivity = 1;
};

template <class Real>
struct ColumnFluxes {
  std::vector<Real> up, down, direct;  // at levels; down is diffuse
};

/// Elimination from the ground up, substitution from the top down, in the order of solver_homogen_direct.
template <class Real>
ColumnFluxes<Real> reference_column(const Column<Real>& column);
/// The same in the original convention, in which the downward flux is the sum of diffuse and direct flux. Its result is
/// in that convention, too.
template <class Real>
ColumnFluxes<Real> reference_column_total(const Column<Real>& column);
/// The 2n + 2 equations as a banded matrix, by elimination with partial pivoting: slow, and independent of the
/// recursion.
template <class Real>
ColumnFluxes<Real> banded_column(const Column<Real>& column);

/// One column with clouds at one point of the spectrum. Layers before `top` have the clear region only.
template <class Real>
struct CloudyColumn {
  Column<Real> clear;
  std::size_t top = 0;
  std::vector<std::array<Real, 2>> fraction;             // stratiform and convective
  std::vector<std::array<LayerOptics<Real>, 2>> clouds;  // already delta-scaled if requested
};
/// The 6n + 6 equations of three regions as a banded matrix, by elimination with partial pivoting. The regions are
/// coupled as overlap() of regions.hpp states; the fluxes are their sums.
template <class Real>
ColumnFluxes<Real> banded_cloudy_column(const CloudyColumn<Real>& column);
/// Extracts one column at one point from an atmosphere with clouds.
template <class Real, class T>
CloudyColumn<Real> cloudy_column_of(const Atmosphere<T>& atmosphere, const Options& options, std::int64_t column,
                                    std::int64_t point);

/// Broadband fluxes of all columns in double, [level][column].
struct Answer {
  std::vector<double> up, down, direct;
};
/// Solves the columns of an atmosphere one by one, on all threads: without clouds by reference_column() in double, with
/// clouds by banded_cloudy_column() in extended precision. The atmosphere must have passed require_atmosphere().
template <class T>
Answer reference(const Atmosphere<T>& atmosphere, const Options& options);
/// Extracts one column at one point from an atmosphere.
template <class Real, class T>
Column<Real> column_of(const Atmosphere<T>& atmosphere, const Options& options, std::int64_t column,
                       std::int64_t point);

}  // namespace speedwell::two_stream

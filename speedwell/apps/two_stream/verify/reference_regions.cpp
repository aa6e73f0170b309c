// One cloudy column: the equations of all regions at all levels as one banded matrix, solved with partial pivoting.
// Every layer has three regions here, also those above the clouds, where two of them have no area. The coefficients of
// an interface come from the areas by which regions overlap, as FAMOUS computes them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "speedwell/apps/two_stream/verify/reference.hpp"

namespace speedwell::two_stream {
namespace {

constexpr std::size_t R = 3;  // regions: clear, stratiform, convective

template <class Real>
using Three = std::array<Real, R>;
template <class Real>
using Square = std::array<Three<Real>, R>;

/// downward[j][k]: the share of the light of region k above that enters region j below; upward[k][j]: of that of region
/// j below that enters region k above.
template <class Real>
struct Interface {
  Square<Real> downward{}, upward{};
};

template <class Real>
Interface<Real> interface_between(const Three<Real>& upper, const Three<Real>& lower) {
  Square<Real> area{};  // [upper region][lower region]
  Real random = 1;
  for (std::size_t k = 0; k < R; ++k) random -= area[k][k] = std::min(upper[k], lower[k]);
  const Square<Real> like = area;
  for (std::size_t k = 0; k < R; ++k)
    for (std::size_t j = 0; j < R && random > 0; ++j)
      area[k][j] += (upper[k] - like[k][k]) * (lower[j] - like[j][j]) / random;
  Interface<Real> c;
  for (std::size_t k = 0; k < R; ++k)
    for (std::size_t j = 0; j < R; ++j) {
      c.downward[j][k] = upper[k] > 0 ? area[k][j] / upper[k] : Real(j == k);
      c.upward[k][j] = lower[j] > 0 ? area[k][j] / lower[j] : Real(j == k);
    }
  return c;
}

/// A square matrix with `bands` diagonals on each side of the main one, and room for what pivoting adds above.
template <class Real>
class Banded {
 public:
  Banded(std::size_t rows, std::size_t bands)
      : rows_(rows), bands_(bands), width_(3 * bands + 1), a_(rows * width_, Real(0)) {}
  Real& operator()(std::size_t i, std::size_t j) { return a_[i * width_ + j + bands_ - i]; }
  /// Overwrites the matrix with its factors and `b` with the solution.
  void solve(std::vector<Real>& b) {
    Banded& a = *this;
    const auto end = [&](std::size_t k, std::size_t count) { return std::min(rows_, k + count + 1); };
    for (std::size_t k = 0; k < rows_; ++k) {
      std::size_t pivot = k;
      for (std::size_t i = k; i < end(k, bands_); ++i)
        if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
      if (pivot != k) {
        for (std::size_t j = k; j < end(k, 2 * bands_); ++j) std::swap(a(k, j), a(pivot, j));
        std::swap(b[k], b[pivot]);
      }
      for (std::size_t i = k + 1; i < end(k, bands_); ++i) {
        if (a(i, k) == 0) continue;
        const Real factor = a(i, k) / a(k, k);
        for (std::size_t j = k + 1; j < end(k, 2 * bands_); ++j) a(i, j) -= factor * a(k, j);
        b[i] -= factor * b[k];
      }
    }
    for (std::size_t k = rows_; k-- > 0;) {
      for (std::size_t j = k + 1; j < end(k, 2 * bands_); ++j) b[k] -= a(k, j) * b[j];
      b[k] /= a(k, k);
    }
  }

 private:
  std::size_t rows_, bands_, width_;
  std::vector<Real> a_;
};

}  // namespace

template <class Real>
ColumnFluxes<Real> banded_cloudy_column(const CloudyColumn<Real>& cloudy) {
  const Column<Real>& c = cloudy.clear;
  const std::size_t n = c.layers.size();
  const bool sun = c.source == Source::sun, day = sun && c.mu0 > 0;
  // The unknowns of level i: D above it in the regions of the layer there, then U below it in those of the next layer;
  // at the ground U above it. Equations reach from one level to the next: 8 diagonals on each side.
  const auto D = [](std::size_t level, std::size_t r) { return 2 * R * level + r; };
  const auto U = [](std::size_t level, std::size_t r) { return 2 * R * level + R + r; };
  Banded<Real> a(2 * R * (n + 1), 3 * R - 1);
  std::vector<Real> b(2 * R * (n + 1), Real(0));
  const Three<Real> one_region = {1, 0, 0};
  const auto areas = [&](std::size_t i) -> Three<Real> {
    if (i < cloudy.top) return one_region;
    const auto& [stratiform, convective] = cloudy.fraction[i];
    return {1 - stratiform - convective, stratiform, convective};
  };

  ColumnFluxes<Real> f{std::vector<Real>(n + 1), std::vector<Real>(n + 1), std::vector<Real>(n + 1)};
  Three<Real> beam = {day ? c.incident : 0, 0, 0};
  f.direct[0] = beam[0];
  for (std::size_t r = 0; r < R; ++r) a(D(0, r), D(0, r)) = 1;
  if (!sun) b[D(0, 0)] = -c.planck[0];
  Interface<Real> above = interface_between(one_region, areas(0));
  for (std::size_t i = 0; i < n; ++i) {
    const Three<Real> own = areas(i);
    Interface<Real> below = interface_between(own, i + 1 < n ? areas(i + 1) : own);
    if (i + 1 == n) below.upward = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    Three<Real> entering{};
    for (std::size_t r = 0; r < R; ++r)
      for (std::size_t k = 0; k < R; ++k) entering[r] += above.downward[r][k] * beam[k];
    for (std::size_t r = 0; r < R; ++r) {
      const LayerOptics<Real>& optics = r == 0 || i < cloudy.top ? c.layers[i] : cloudy.clouds[i][r - 1];
      Real up, down;
      LayerAnswer<Real> layer;
      if (sun) {
        layer = reference_sun(c.closure, optics, day ? c.mu0 : Real(1));
        up = layer.Rdir * entering[r];
        down = layer.Tdir * entering[r];
        beam[r] = layer.T0 * entering[r];
        f.direct[i + 1] += beam[r];
      } else {
        layer = reference_thermal(c.closure, optics);
        const Real dB = c.planck[i + 1] - c.planck[i];
        const Real d2B = c.planck_middle.empty() ? 0 : 2 * (c.planck[i] + c.planck[i + 1] - 2 * c.planck_middle[i]);
        up = own[r] * (layer.c1 * dB + layer.c2 * d2B);
        down = own[r] * (-layer.c1 * dB + layer.c2 * d2B);
      }
      // U_i - R v D_i - T u U_{i+1} = up;  D_{i+1} - T v D_i - R u U_{i+1} = down.
      a(U(i, r), U(i, r)) += 1;
      a(D(i + 1, r), D(i + 1, r)) += 1;
      for (std::size_t k = 0; k < R; ++k) {
        a(U(i, r), D(i, k)) -= layer.R * above.downward[r][k];
        a(U(i, r), U(i + 1, k)) -= layer.T * below.upward[r][k];
        a(D(i + 1, r), D(i, k)) -= layer.T * above.downward[r][k];
        a(D(i + 1, r), U(i + 1, k)) -= layer.R * below.upward[r][k];
      }
      b[U(i, r)] = up;
      b[D(i + 1, r)] = down;
    }
    above = below;
  }
  const Three<Real> last = areas(n - 1);
  for (std::size_t r = 0; r < R; ++r) {
    a(U(n, r), U(n, r)) = 1;
    a(U(n, r), D(n, r)) = -(sun ? c.ground_diffuse : 1 - c.emissivity);
    b[U(n, r)] = sun ? c.ground_direct * beam[r] : last[r] * c.emissivity * (c.planck_ground - c.planck[n]);
  }
  a.solve(b);
  for (std::size_t i = 0; i <= n; ++i) {
    for (std::size_t r = 0; r < R; ++r) {
      f.down[i] += b[D(i, r)];
      f.up[i] += b[U(i, r)];
    }
    if (sun) continue;
    f.down[i] += c.planck[i];
    f.up[i] += c.planck[i];
  }
  return f;
}

template <class Real, class T>
CloudyColumn<Real> cloudy_column_of(const Atmosphere<T>& a, const Options& options, std::int64_t column,
                                    std::int64_t point) {
  CloudyColumn<Real> c{column_of<Real>(a, options, column, point), static_cast<std::size_t>(a.cloud_top), {}, {}};
  const std::int64_t of_region = a.points * a.layers * a.columns;
  for (std::int64_t i = 0; i < a.layers; ++i) {
    c.fraction.push_back(
        {Real(a.cloud_fraction[i * a.columns + column]), Real(a.cloud_fraction[(a.layers + i) * a.columns + column])});
    std::array<LayerOptics<Real>, 2> clouds;
    for (std::int64_t r = 0; r < 2; ++r) {
      const std::int64_t k = r * of_region + (point * a.layers + i) * a.columns + column;
      clouds[r] = {Real(a.cloud_optical_depth[k]), Real(a.cloud_albedo[k]), Real(a.cloud_asymmetry[k])};
      if (options.delta) clouds[r] = delta_scaled(clouds[r]);
    }
    c.clouds.push_back(clouds);
  }
  return c;
}

template ColumnFluxes<double> banded_cloudy_column(const CloudyColumn<double>&);
template ColumnFluxes<long double> banded_cloudy_column(const CloudyColumn<long double>&);
template CloudyColumn<long double> cloudy_column_of(const Atmosphere<float>&, const Options&, std::int64_t,
                                                    std::int64_t);
template CloudyColumn<long double> cloudy_column_of(const Atmosphere<double>&, const Options&, std::int64_t,
                                                    std::int64_t);

}  // namespace speedwell::two_stream

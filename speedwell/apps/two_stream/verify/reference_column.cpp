// One column written out: the recursion in the papers' order, the same in the original convention, and the banded
// system.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "speedwell/apps/two_stream/verify/reference.hpp"

namespace speedwell::two_stream {
namespace {

/// The terms of the equations of a column; source vectors by layer.
template <class Real>
struct Equations {
  std::vector<LayerAnswer<Real>> layers;
  std::vector<Real> up, down;   // sources: out of a layer's top, out of its bottom
  std::vector<Real> direct;     // at levels
  Real at_top = 0;              // diffuse downward flux there
  Real albedo = 0, ground = 0;  // U_n = albedo D_n + ground
};

template <class Real>
Equations<Real> equations(const Column<Real>& c) {
  const std::size_t n = c.layers.size();
  Equations<Real> q;
  q.layers.resize(n);
  q.up.resize(n);
  q.down.resize(n);
  q.direct.assign(n + 1, 0);
  if (c.source == Source::sun) {
    const bool day = c.mu0 > 0;
    q.direct[0] = day ? c.incident : 0;
    for (std::size_t i = 0; i < n; ++i) {
      q.layers[i] = reference_sun(c.closure, c.layers[i], day ? c.mu0 : Real(1));
      q.up[i] = q.layers[i].Rdir * q.direct[i];
      q.down[i] = q.layers[i].Tdir * q.direct[i];
      q.direct[i + 1] = q.layers[i].T0 * q.direct[i];
    }
    q.albedo = c.ground_diffuse;
    q.ground = c.ground_direct * q.direct[n];
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      q.layers[i] = reference_thermal(c.closure, c.layers[i]);
      const Real dB = c.planck[i + 1] - c.planck[i];
      const Real d2B = c.planck_middle.empty() ? 0 : 2 * (c.planck[i] + c.planck[i + 1] - 2 * c.planck_middle[i]);
      q.up[i] = q.layers[i].c1 * dB + q.layers[i].c2 * d2B;
      q.down[i] = -q.layers[i].c1 * dB + q.layers[i].c2 * d2B;
    }
    q.at_top = -c.planck[0];
    q.albedo = 1 - c.emissivity;
    q.ground = c.emissivity * (c.planck_ground - c.planck[n]);
  }
  return q;
}

template <class Real>
ColumnFluxes<Real> solved(const Equations<Real>& q) {
  const std::size_t n = q.layers.size();
  std::vector<Real> alpha(n + 1), S(n + 1), beta(n), G(n), H(n);
  alpha[n] = q.albedo;
  S[n] = q.ground;
  for (std::size_t i = n; i-- > 0;) {
    const auto& layer = q.layers[i];
    beta[i] = 1 / (1 - alpha[i + 1] * layer.R);
    G[i] = alpha[i + 1] * layer.T;
    H[i] = S[i + 1] + alpha[i + 1] * q.down[i];
    alpha[i] = layer.R + beta[i] * G[i] * layer.T;
    S[i] = q.up[i] + beta[i] * layer.T * H[i];
  }
  ColumnFluxes<Real> f{std::vector<Real>(n + 1), std::vector<Real>(n + 1), q.direct};
  f.down[0] = q.at_top;
  f.up[0] = alpha[0] * f.down[0] + S[0];
  for (std::size_t i = 0; i < n; ++i) {
    f.up[i + 1] = beta[i] * (H[i] + G[i] * f.down[i]);
    f.down[i + 1] = q.down[i] + q.layers[i].T * f.down[i] + q.layers[i].R * f.up[i + 1];
  }
  return f;
}

// Computes the fluxes from differences to the Planck flux.
template <class Real>
ColumnFluxes<Real> with_planck(const Column<Real>& c, ColumnFluxes<Real> f) {
  if (c.source == Source::thermal)
    for (std::size_t i = 0; i < f.up.size(); ++i) {
      f.up[i] += c.planck[i];
      f.down[i] += c.planck[i];
    }
  return f;
}

}  // namespace

template <class Real>
ColumnFluxes<Real> reference_column(const Column<Real>& column) {
  return with_planck(column, solved(equations(column)));
}

template <class Real>
ColumnFluxes<Real> reference_column_total(const Column<Real>& column) {
  Equations<Real> q = equations(column);
  if (column.source == Source::sun) {
    for (std::size_t i = 0; i < q.layers.size(); ++i) {
      q.up[i] = (q.layers[i].Rdir - q.layers[i].R) * q.direct[i];
      q.down[i] = (q.layers[i].Tdir + q.layers[i].T0 - q.layers[i].T) * q.direct[i];
    }
    q.at_top = q.direct.front();
    q.ground = (column.ground_direct - column.ground_diffuse) * q.direct.back();
  }
  return with_planck(column, solved(q));
}

template <class Real>
ColumnFluxes<Real> banded_column(const Column<Real>& column) {
  const Equations<Real> q = equations(column);
  const std::size_t n = q.layers.size(), rows = 2 * n + 2;
  // Unknowns D_0, U_0, D_1, U_1 ...; two bands below the diagonal, and with pivoting four above it.
  constexpr std::ptrdiff_t below = 2, above = 4;
  std::vector<Real> a(rows * rows, 0), b(rows, 0);
  const auto at = [&](std::size_t i, std::size_t j) -> Real& { return a[i * rows + j]; };
  at(0, 0) = 1;
  b[0] = q.at_top;
  for (std::size_t i = 0; i < n; ++i) {
    const auto& layer = q.layers[i];
    const std::size_t D = 2 * i, U = 2 * i + 1, D_next = 2 * i + 2, U_next = 2 * i + 3;
    at(U, U) = 1;  // U_i - R D_i - T U_{i+1} = up
    at(U, D) = -layer.R;
    at(U, U_next) = -layer.T;
    b[U] = q.up[i];
    at(D_next, D_next) = 1;  // D_{i+1} - T D_i - R U_{i+1} = down
    at(D_next, D) = -layer.T;
    at(D_next, U_next) = -layer.R;
    b[D_next] = q.down[i];
  }
  at(rows - 1, rows - 1) = 1;
  at(rows - 1, rows - 2) = -q.albedo;
  b[rows - 1] = q.ground;
  const auto last = [&](std::size_t k, std::ptrdiff_t bands) {
    return std::min(rows, k + 1 + static_cast<std::size_t>(bands));
  };
  for (std::size_t k = 0; k < rows; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < last(k, below); ++i)
      if (std::abs(at(i, k)) > std::abs(at(pivot, k))) pivot = i;
    if (pivot != k) {
      for (std::size_t j = k; j < last(k, above); ++j) std::swap(at(k, j), at(pivot, j));
      std::swap(b[k], b[pivot]);
    }
    for (std::size_t i = k + 1; i < last(k, below); ++i) {
      const Real factor = at(i, k) / at(k, k);
      for (std::size_t j = k; j < last(k, above); ++j) at(i, j) -= factor * at(k, j);
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = rows; k-- > 0;) {
    for (std::size_t j = k + 1; j < last(k, above); ++j) b[k] -= at(k, j) * b[j];
    b[k] /= at(k, k);
  }
  ColumnFluxes<Real> f{std::vector<Real>(n + 1), std::vector<Real>(n + 1), q.direct};
  for (std::size_t i = 0; i <= n; ++i) {
    f.down[i] = b[2 * i];
    f.up[i] = b[2 * i + 1];
  }
  return with_planck(column, std::move(f));
}

template <class Real, class T>
Column<Real> column_of(const Atmosphere<T>& a, const Options& options, std::int64_t column, std::int64_t point) {
  Column<Real> c;
  c.closure = options.closure;
  c.source = a.source;
  const auto layer = [&](std::int64_t i) { return (point * a.layers + i) * a.columns + column; };
  for (std::int64_t i = 0; i < a.layers; ++i) {
    const LayerOptics<Real> o{Real(a.optical_depth[layer(i)]), Real(a.albedo[layer(i)]), Real(a.asymmetry[layer(i)])};
    c.layers.push_back(options.delta ? delta_scaled(o) : o);
  }
  const std::int64_t ground = point * a.columns + column;
  if (a.source == Source::sun) {
    c.mu0 = a.mu0[column];
    c.incident = a.incident[ground];
    c.ground_direct = a.ground_direct[ground];
    c.ground_diffuse = a.ground_diffuse[ground];
  } else {
    for (std::int64_t i = 0; i <= a.layers; ++i)
      c.planck.push_back(a.planck_level[(point * (a.layers + 1) + i) * a.columns + column]);
    for (std::int64_t i = 0; i < a.layers && a.planck_middle; ++i) c.planck_middle.push_back(a.planck_middle[layer(i)]);
    c.planck_ground = a.planck_ground[ground];
    c.emissivity = a.emissivity[ground];
  }
  return c;
}

template <class T>
Answer reference(const Atmosphere<T>& a, const Options& options) {
  const std::int64_t levels = a.layers + 1;
  Answer answer;
  for (auto* field : {&answer.up, &answer.down, &answer.direct})
    field->assign(static_cast<std::size_t>(levels * a.columns), 0);
#pragma omp parallel for schedule(dynamic, 16)
  for (std::int64_t column = 0; column < a.columns; ++column)
    for (std::int64_t g = 0; g < a.points; ++g) {
      const double weight = a.weight ? static_cast<double>(a.weight[g]) : 1;
      const auto add = [&](const auto& f) {
        for (std::int64_t i = 0; i < levels; ++i) {
          const std::int64_t k = i * a.columns + column;
          answer.up[k] += weight * static_cast<double>(f.up[i]);
          answer.down[k] += weight * static_cast<double>(f.down[i]);
          answer.direct[k] += weight * static_cast<double>(f.direct[i]);
        }
      };
      if (a.cloud_fraction)
        add(banded_cloudy_column(cloudy_column_of<long double>(a, options, column, g)));
      else
        add(reference_column(column_of<double>(a, options, column, g)));
    }
  return answer;
}

template Answer reference(const Atmosphere<float>&, const Options&);
template Answer reference(const Atmosphere<double>&, const Options&);
template Column<double> column_of(const Atmosphere<float>&, const Options&, std::int64_t, std::int64_t);
template Column<double> column_of(const Atmosphere<double>&, const Options&, std::int64_t, std::int64_t);
template Column<long double> column_of(const Atmosphere<float>&, const Options&, std::int64_t, std::int64_t);
template Column<long double> column_of(const Atmosphere<double>&, const Options&, std::int64_t, std::int64_t);
#define SPEEDWELL_INSTANTIATE(Real)                                        \
  template ColumnFluxes<Real> reference_column(const Column<Real>&);       \
  template ColumnFluxes<Real> reference_column_total(const Column<Real>&); \
  template ColumnFluxes<Real> banded_column(const Column<Real>&);
SPEEDWELL_INSTANTIATE(double)
SPEEDWELL_INSTANTIATE(long double)
#undef SPEEDWELL_INSTANTIATE

}  // namespace speedwell::two_stream

#include "speedwell/apps/incompressible_flow/statistics/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "speedwell/apps/incompressible_flow/fields.hpp"
#include "speedwell/apps/incompressible_flow/mesh/metrics.hpp"
#include "speedwell/apps/incompressible_flow/statistics/statistics_fields.hpp"
#include "speedwell/apps/incompressible_flow/statistics/statistics_sums.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::incompressible_flow {
namespace {

double or_nan(double numerator, double denominator) {
  return denominator > 0 ? numerator / denominator : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double Statistics::reynolds(double nu) const { return or_nan(turbulent_energy * turbulent_energy, nu * dissipation); }
double Statistics::taylor_reynolds(double nu) const { return std::sqrt(20.0 / 3 * reynolds(nu)); }
double Statistics::eddy_length() const { return or_nan(std::pow(turbulent_energy, 1.5), dissipation); }
double Statistics::taylor_length(double nu) const { return std::sqrt(or_nan(10 * nu * turbulent_energy, dissipation)); }
double Statistics::kolmogorov_length(double nu) const { return std::pow(or_nan(nu * nu * nu, dissipation), 0.25); }

std::array<double, 6> Statistics::anisotropy() const {
  std::array<double, 6> b;
  for (std::size_t n = 0; n < 6; ++n) b[n] = or_nan(stresses[n], 2 * turbulent_energy) - (n < 3 ? 1. / 3 : 0);
  return b;
}

template <class T>
Statistics statistics_of(const Problem& problem, const State<T>& state) {
  const Layout layout(state.extents, sizeof(double));
  RowTeam team(layout, core::resolve_threads(0), sizeof(double));
  const Metrics<double> metrics(problem);
  Fields<double> u;
  std::array<std::vector<double>, 3> drag;
  for (std::size_t c = 0; c < 3; ++c) {
    u[c] = Field<double>(layout);
    team.for_each([&](int j, int k) {
      const T* from = state.velocity[c].data() + state.extents.at(0, j, k);
      std::copy(from, from + state.extents.nx, u[c].at(layout, j, k));
    });
    fill_edges(problem, layout, team, static_cast<int>(c), u[c]);
    if (!problem.solid.empty()) drag[c] = wall_drag<double>(problem, static_cast<int>(c));
  }
  return statistics_of_fields(problem, {0, 1, 2}, layout, team, metrics.mesh(), u, drag);
}

template <class T>
Statistics statistics_of_fields(const Problem& problem, const std::array<int, 3>& order, const Layout& layout,
                                RowTeam& team, const MeshMetrics<double>& metrics, const Fields<T>& u,
                                const std::array<std::vector<T>, 3>& wall_drag, const MeasureRows<T>& kernels) {
  using Sums = std::array<double, statistics_sums>;
  Slab* const slab = team.slab();
  const bool ends_below = !(slab && slab->has_below()), ends_above = !(slab && slab->has_above());
  const Extents own{layout.n[0], layout.n[1], layout.n[2]};
  std::vector<Largest> largest(static_cast<std::size_t>(own.ny) * static_cast<std::size_t>(own.nz));
  const Sums sums = team.sums<statistics_sums>([&](int j, int k) {
    const bool open_x = problem.periodic(0), open_y = problem.periodic(1), open_z = problem.periodic(2);
    StatisticsRow<T> row = {.row = layout.row,
                            .plane = layout.plane,
                            .metrics = at_row(metrics, j, k),
                            .cells = own.nx,
                            .closed = {{!open_x, !open_x},
                                       {!open_y && j == 0, !open_y && j == own.ny - 1},
                                       {!open_z && ends_below && k == 0, !open_z && ends_above && k == own.nz - 1}},
                            .u = {},
                            .wall_drag = {}};
    for (std::size_t c = 0; c < 3; ++c) {
      row.u[c] = u[c].at(layout, j, k);
      if (!wall_drag[c].empty()) row.wall_drag[c] = wall_drag[c].data() + own.at(0, j, k);
    }
    const StatisticsTerms terms = kernels.statistics(row);
    largest[static_cast<std::size_t>(k) * static_cast<std::size_t>(own.ny) + static_cast<std::size_t>(j)] = {
        terms.divergence, terms.fastest};
    Sums of_row = {};
    for (std::size_t d = 0; d < 3; ++d) {
      of_row[mean_x + d] = terms.mean[d];
      of_row[square_x + d] = terms.square[d];
      of_row[mixed_xy + d] = terms.mixed[d];
      of_row[stretch_x2 + d] = terms.stretch2[d];
      of_row[stretch_x3 + d] = terms.stretch3[d];
    }
    of_row[loss] = terms.loss;
    of_row[volume] = terms.volume;
    return of_row;
  });
  Largest maxima;
  for (const Largest& l : largest) {
    maxima.divergence = std::max(maxima.divergence, l.divergence);
    maxima.fastest = std::max(maxima.fastest, l.fastest);
  }
  if (slab) maxima = {slab->maximum(maxima.divergence), slab->maximum(maxima.fastest)};
  return statistics_from(sums, maxima, problem.viscosity, order);
}

// A velocity is that through the face on the high side of its cell. The face on the low side of the first cell is that
// of the last one if the axis is periodic, and closed otherwise.
template <class T>
double convection_rate_of(const Problem& problem, const State<T>& state, int threads) {
  const Extents e = state.extents;
  [[maybe_unused]] const int team = core::resolve_threads(threads);  // read by OpenMP alone
  double largest = 0;
  bool finite = true;
#pragma omp parallel for collapse(2) reduction(max : largest) reduction(&& : finite) num_threads(team)
  for (int k = 0; k < e.nz; ++k)
    for (int j = 0; j < e.ny; ++j)
      for (int i = 0; i < e.nx; ++i) {
        const std::array<int, 3> cell = {i, j, k};
        double rate = 0;
        for (std::size_t d = 0; d < 3; ++d) {
          std::array<int, 3> low_cell = cell;
          const int axis = static_cast<int>(d), at = cell[d];
          low_cell[d] = at > 0 ? at - 1 : e.extent(axis) - 1;
          const double high = state.velocity[d][e.at(i, j, k)];
          const double low =
              at > 0 || problem.periodic(axis) ? state.velocity[d][e.at(low_cell[0], low_cell[1], low_cell[2])] : 0;
          const auto& f = problem.faces[d];
          rate += std::max(std::abs(high), std::abs(low)) /
                  (f[static_cast<std::size_t>(at) + 1] - f[static_cast<std::size_t>(at)]);
          finite = finite && std::isfinite(high);
        }
        largest = std::max(largest, rate);
      }
  return finite ? largest : std::numeric_limits<double>::quiet_NaN();
}

Statistics statistics_from(const std::array<double, statistics_sums>& all, const Largest& largest, double viscosity,
                           const std::array<int, 3>& order) {
  Statistics s;
  const double box = all[volume];
  for (std::size_t d = 0; d < 3; ++d) {
    const auto c = static_cast<std::size_t>(order[d]);
    s.mean[c] = all[mean_x + d] / box;
    s.stresses[c] = all[square_x + d] / box - s.mean[c] * s.mean[c];
    s.energy += 0.5 * all[square_x + d] / box;
    s.turbulent_energy += 0.5 * s.stresses[c];
    s.skewness += all[stretch_x3 + d] / box / std::pow(all[stretch_x2 + d] / box, 1.5) / 3;
  }
  for (std::size_t n = 0; n < 3; ++n) {
    const std::size_t pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    const auto a = static_cast<std::size_t>(order[pairs[n][0]]), b = static_cast<std::size_t>(order[pairs[n][1]]);
    s.stresses[2 + a + b] = all[mixed_xy + n] / box - s.mean[a] * s.mean[b];  // xy, xz, yz
  }
  s.dissipation = viscosity * all[loss] / box;
  s.divergence = largest.fastest > 0 ? largest.divergence / largest.fastest : largest.divergence;
  s.fastest = largest.fastest;
  return s;
}

template Statistics statistics_of(const Problem&, const State<float>&);
template Statistics statistics_of(const Problem&, const State<double>&);
template Statistics statistics_of_fields(const Problem&, const std::array<int, 3>&, const Layout&, RowTeam&,
                                         const MeshMetrics<double>&, const Fields<float>&,
                                         const std::array<std::vector<float>, 3>&, const MeasureRows<float>&);
template Statistics statistics_of_fields(const Problem&, const std::array<int, 3>&, const Layout&, RowTeam&,
                                         const MeshMetrics<double>&, const Fields<double>&,
                                         const std::array<std::vector<double>, 3>&, const MeasureRows<double>&);
template double convection_rate_of(const Problem&, const State<float>&, int);
template double convection_rate_of(const Problem&, const State<double>&, int);

}  // namespace speedwell::incompressible_flow

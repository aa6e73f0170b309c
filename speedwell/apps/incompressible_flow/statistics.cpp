#include "speedwell/apps/incompressible_flow/statistics.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <cmath>
#include <limits>

#include "speedwell/apps/incompressible_flow/fields.hpp"
#include "speedwell/apps/incompressible_flow/metrics.hpp"

namespace speedwell::incompressible_flow {
namespace {

constexpr int sums_of_row = 17;
using Sums = std::array<double, sums_of_row>;
enum { mean_x, square_x = 3, mixed_xy = 6, loss = 9, stretch_x2 = 10, stretch_x3 = 13, volume = 16 };

Sums pairwise(const Sums* rows, std::size_t n) {
  if (n == 1) return *rows;
  Sums a = pairwise(rows, n / 2);
  const Sums b = pairwise(rows + n / 2, n - n / 2);
  for (int s = 0; s < sums_of_row; ++s) a[static_cast<std::size_t>(s)] += b[static_cast<std::size_t>(s)];
  return a;
}

struct Largest {
  double divergence = 0, fastest = 0;
};

// The velocity with a layer around it, in double precision, and what belongs to it.
struct Flow {
  const Problem& problem;
  Layout layout;
  RowTeam team;
  Metrics<double> metrics;
  Fields<double> u;
  std::array<std::vector<double>, 3> friction;

  template <class T>
  Flow(const Problem& p, const State<T>& state)
      : problem(p), layout(state.extents, sizeof(double)), team(layout, all_threads(), sizeof(double)), metrics(p) {
    for (std::size_t c = 0; c < 3; ++c) {
      u[c] = Field<double>(layout);
      team.for_each([&](int j, int k) {
        const T* from = state.velocity[c].data() + state.extents.at(0, j, k);
        std::copy(from, from + state.extents.nx, u[c].at(layout, j, k));
      });
      fill_edges(problem, layout, team, static_cast<int>(c), u[c]);
      if (!problem.solid.empty()) friction[c] = incompressible_flow::friction<double>(problem, static_cast<int>(c));
    }
  }
  static int all_threads();

  Sums row(int j, int k, Largest& largest) const;
};

Sums Flow::row(int j, int k, Largest& largest) const {
  Sums s = {};
  const MeshMetrics<double> m = metrics.mesh();
  const std::ptrdiff_t steps[] = {1, layout.row, layout.plane};
  for (int i = 0; i < layout.n[0]; ++i) {
    const int at[] = {i, j, k};
    double width[3], centre[3], out = 0;
    for (std::size_t d = 0; d < 3; ++d) width[d] = m.axis[d].width[at[d]];
    const double cell = width[0] * width[1] * width[2];
    for (std::size_t c = 0; c < 3; ++c) {
      const double* p = u[c].at(layout, j, k) + i;
      const double own = *p, before = p[-steps[c]];
      const double around = cell / width[c] / m.axis[c].inverse_distance[at[c]];  // the momentum volume
      s[mean_x + c] += around * own;
      s[square_x + c] += around * own * own;
      const double stretch = (own - before) / width[c];
      s[stretch_x2 + c] += cell * stretch * stretch;
      s[stretch_x3 + c] += cell * stretch * stretch * stretch;
      out += stretch;
      centre[c] = 0.5 * (own + before);
      largest.fastest = std::max(largest.fastest, std::abs(own));
      // Links to the next face along each axis, and those to walls at both ends, where the layer mirrors what is
      // inside.
      for (std::size_t b = 0; b < 3; ++b) {
        const double across = b == c ? cell / width[c] : around / width[b];  // area of the link
        const auto link = [&](double difference, double distance) {
          s[loss] += across * difference * difference / distance;
        };
        if (b == c) {
          s[loss] += cell * stretch * stretch;
          continue;
        }
        const double next = p[steps[b]] - own, length = 1 / m.axis[b].inverse_distance[at[b]];
        const bool is_last = !problem.periodic(static_cast<int>(b)) && at[b] == layout.n[b] - 1;
        const bool is_first = !problem.periodic(static_cast<int>(b)) && at[b] == 0;
        // Half the mirrored difference over half the distance.
        is_last ? link(next / 2, length / 2) : link(next, length);
        if (is_first) link((own - p[-steps[b]]) / 2, 0.5 / m.axis[b].inverse_distance[-1]);
      }
      if (!friction[c].empty()) {
        const double f = friction[c][static_cast<std::size_t>(i) +
                                     static_cast<std::size_t>(layout.n[0]) *
                                         (static_cast<std::size_t>(j) + static_cast<std::size_t>(layout.n[1]) * k)];
        if (f > 0) s[loss] += around * f * own * own;
      }
    }
    s[mixed_xy] += cell * centre[0] * centre[1];
    s[mixed_xy + 1] += cell * centre[0] * centre[2];
    s[mixed_xy + 2] += cell * centre[1] * centre[2];
    s[volume] += cell;
    largest.divergence = std::max(largest.divergence, std::abs(out) * std::min({width[0], width[1], width[2]}));
    if (!std::isfinite(out)) largest.divergence = std::numeric_limits<double>::infinity();
  }
  return s;
}

int Flow::all_threads() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

double or_nan(double numerator, double denominator) {
  return denominator > 0 ? numerator / denominator : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double Statistics::reynolds(double nu) const { return or_nan(turbulent_energy * turbulent_energy, nu * dissipation); }
double Statistics::taylor_reynolds(double nu) const { return std::sqrt(20.0 / 3 * reynolds(nu)); }
double Statistics::eddy_length() const { return or_nan(std::pow(turbulent_energy, 1.5), dissipation); }
double Statistics::taylor_length(double nu) const { return std::sqrt(or_nan(10 * nu * turbulent_energy, dissipation)); }
double Statistics::kolmogorov_length(double nu) const { return std::pow(or_nan(nu * nu * nu, dissipation), 0.25); }

template <class T>
Statistics statistics_of(const Problem& problem, const State<T>& state) {
  const Flow flow(problem, state);
  const std::size_t rows = static_cast<std::size_t>(state.extents.ny) * static_cast<std::size_t>(state.extents.nz);
  std::vector<Sums> sums(rows);
  std::vector<Largest> largest(rows);
  flow.team.for_each([&](int j, int k) {
    const std::size_t n =
        static_cast<std::size_t>(k) * static_cast<std::size_t>(state.extents.ny) + static_cast<std::size_t>(j);
    sums[n] = flow.row(j, k, largest[n]);
  });
  const Sums all = pairwise(sums.data(), rows);
  Statistics s;
  const double box = all[volume];
  for (std::size_t c = 0; c < 3; ++c) {
    s.mean[c] = all[mean_x + c] / box;
    s.stresses[c] = all[square_x + c] / box - s.mean[c] * s.mean[c];
    s.energy += 0.5 * all[square_x + c] / box;
    s.turbulent_energy += 0.5 * s.stresses[c];
    s.skewness += all[stretch_x3 + c] / box / std::pow(all[stretch_x2 + c] / box, 1.5) / 3;
  }
  for (std::size_t n = 0; n < 3; ++n) {
    const std::size_t a[] = {0, 0, 1}, b[] = {1, 2, 2};
    s.stresses[3 + n] = all[mixed_xy + n] / box - s.mean[a[n]] * s.mean[b[n]];
  }
  s.dissipation = problem.viscosity * all[loss] / box;
  for (const Largest& l : largest) {
    s.divergence = std::max(s.divergence, l.divergence);
    s.fastest = std::max(s.fastest, l.fastest);
  }
  if (s.fastest > 0) s.divergence /= s.fastest;
  return s;
}

template Statistics statistics_of(const Problem&, const State<float>&);
template Statistics statistics_of(const Problem&, const State<double>&);

}  // namespace speedwell::incompressible_flow

#include "speedwell/apps/incompressible_flow/initial.hpp"

#include <cmath>
#include <numbers>

#include "speedwell/apps/incompressible_flow/mesh/geometry.hpp"
#include "speedwell/core/random.hpp"

namespace speedwell::incompressible_flow {
namespace {

constexpr double turn = 2 * std::numbers::pi;

template <class Body>
void for_each_cell(const Extents& e, const Body& body) {
#pragma omp parallel for collapse(2) schedule(static)
  for (int k = 0; k < e.nz; ++k)
    for (int j = 0; j < e.ny; ++j)
      for (int i = 0; i < e.nx; ++i) body(i, j, k);
}

// Whether all four faces are open that meet at the edge along axis c on the high side of cell (i,j,k) along the two
// other axes.
bool is_free(const Geometry& g, int c, std::array<int, 3> p) {
  const int a = (c + 1) % 3, b = (c + 2) % 3;
  std::array<int, 3> next_a = p, next_b = p;
  next_a[static_cast<std::size_t>(a)] += 1;
  next_b[static_cast<std::size_t>(b)] += 1;
  return g.is_open(a, p) && g.is_open(b, p) && g.is_open(a, next_b) && g.is_open(b, next_a);
}

// potential(c, p) is that at the edge along c on the high side of cell p.
template <class Potential>
void add_curl_of(const Problem& problem, const Potential& potential, State<double>& state) {
  const Geometry g(problem);
  for_each_cell(problem.extents(), [&](int i, int j, int k) {
    const std::array<int, 3> p = {i, j, k};
    for (int c = 0; c < 3; ++c) {
      if (!g.is_open(c, p)) continue;
      const int a = (c + 1) % 3, b = (c + 2) % 3;
      const auto value = [&](int along, std::array<int, 3> at) {
        return is_free(g, along, at) ? potential(along, at) : 0.0;
      };
      std::array<int, 3> before_a = p, before_b = p;
      before_a[static_cast<std::size_t>(a)] -= 1;
      before_b[static_cast<std::size_t>(b)] -= 1;
      const double curl = (value(b, p) - value(b, before_a)) / g.width(a, p[static_cast<std::size_t>(a)]) -
                          (value(a, p) - value(a, before_b)) / g.width(b, p[static_cast<std::size_t>(b)]);
      state.velocity[static_cast<std::size_t>(c)][problem.extents().at(i, j, k)] += curl;
    }
  });
}

double mean_square(const State<double>& state) {
  double sum = 0;
  for (const auto& u : state.velocity)
    for (const double value : u) sum += value * value;
  return sum / static_cast<double>(state.extents.cells());
}

double phase(const Problem& problem, int axis, double x) {
  const auto& f = problem.faces[static_cast<std::size_t>(axis)];
  return turn * (x - f.front()) / (f.back() - f.front());
}

}  // namespace

void add_velocity(const Problem& problem, const VectorFunction& velocity, State<double>& state) {
  const Geometry g(problem);
  for_each_cell(problem.extents(), [&](int i, int j, int k) {
    const std::array<int, 3> p = {i, j, k};
    for (int c = 0; c < 3; ++c)
      if (g.is_open(c, p))
        state.velocity[static_cast<std::size_t>(c)][problem.extents().at(i, j, k)] +=
            velocity(c, g.coordinate(0, i, c == 0), g.coordinate(1, j, c == 1), g.coordinate(2, k, c == 2));
  });
}

void add_curl(const Problem& problem, const VectorFunction& potential, State<double>& state) {
  const Geometry g(problem);
  add_curl_of(
      problem,
      [&](int c, const std::array<int, 3>& p) {
        return potential(c, g.coordinate(0, p[0], c != 0), g.coordinate(1, p[1], c != 1),
                         g.coordinate(2, p[2], c != 2));
      },
      state);
}

void add_noise(const Problem& problem, std::uint64_t seed, double rms, const std::array<int, 3>& tile,
               State<double>& state) {
  const Extents e = problem.extents();
  const auto repeated = [&](int axis, int i) {
    const int n = e.extent(axis), t = tile[static_cast<std::size_t>(axis)];
    const int inside = (i % n + n) % n;
    return static_cast<std::uint64_t>(t > 0 ? inside % t : inside);
  };
  const auto potential = [&](int c, const std::array<int, 3>& p) {
    const std::uint64_t at =
        repeated(0, p[0]) | repeated(1, p[1]) << 20 | repeated(2, p[2]) << 40 | static_cast<std::uint64_t>(c) << 60;
    return 2 * core::random_uniform(seed, at) - 1;
  };
  State<double> noise(e);
  add_curl_of(problem, potential, noise);
  const double square = mean_square(noise);
  if (!(square > 0)) return;
  const double factor = rms / std::sqrt(square);
  for_each_cell(e, [&](int i, int j, int k) {
    const std::size_t n = e.at(i, j, k);
    for (std::size_t c = 0; c < 3; ++c) state.velocity[c][n] += factor * noise.velocity[c][n];
  });
}

void add_taylor_green_2d(const Problem& problem, State<double>& state) {
  add_velocity(
      problem,
      [&](int c, double x, double y, double) {
        const double a = phase(problem, 0, x), b = phase(problem, 1, y);
        return c == 0 ? std::sin(a) * std::cos(b) : c == 1 ? -std::cos(a) * std::sin(b) : 0.0;
      },
      state);
}

void add_taylor_green(const Problem& problem, State<double>& state) {
  add_velocity(
      problem,
      [&](int c, double x, double y, double z) {
        const double a = phase(problem, 0, x), b = phase(problem, 1, y), d = std::cos(phase(problem, 2, z));
        return c == 0 ? std::sin(a) * std::cos(b) * d : c == 1 ? -std::cos(a) * std::sin(b) * d : 0.0;
      },
      state);
}

void add_channel(const Problem& problem, std::uint64_t seed, double rms, const std::array<int, 3>& tile,
                 State<double>& state) {
  const double reynolds = problem.viscosity > 0 ? 1 / problem.viscosity : 1000;
  const auto& f = problem.faces[1];
  add_velocity(
      problem,
      [&](int c, double, double y, double) {
        if (c != 0) return 0.0;
        const double wall = std::min(y - f.front(), f.back() - y) * 2 / (f.back() - f.front()) * reynolds;
        // H. Reichardt, ZAMM 31 (1951): one profile from the wall to the logarithmic part.
        return std::log(1 + 0.41 * wall) / 0.41 + 7.8 * (1 - std::exp(-wall / 11) - wall / 11 * std::exp(-wall / 3));
      },
      state);
  // Pairs of rolls along x, in a number that repeats with the tile.
  const double pairs = tile[2] > 0 ? static_cast<double>(problem.extents().nz) / tile[2] : 1;
  add_curl(
      problem,
      [&](int c, double, double y, double z) {
        if (c != 0) return 0.0;
        const double s = std::sin(phase(problem, 1, y) / 2);
        return 1.5 * s * s * std::sin(pairs * phase(problem, 2, z));
      },
      state);
  add_noise(problem, seed, rms, tile, state);
}

}  // namespace speedwell::incompressible_flow

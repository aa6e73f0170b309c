#include "speedwell/apps/incompressible_flow/statistics/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace speedwell::incompressible_flow {
namespace {

// Along one axis a value is interpolated between two nodes. A node is the index of a cell or a face; low_side and n are
// the boundaries, with values from the boundary conditions.
constexpr int low_side = -1;
struct Stencil {
  std::array<int, 2> node{};
  std::array<double, 2> weight{1, 0};
};

Stencil between(int low, int high, double at_low, double at_high, double x) {
  const double share = at_high > at_low ? (x - at_low) / (at_high - at_low) : 0;
  return {{low, high}, {1 - share, share}};
}

// x wrapped into the box along a periodic axis.
double wrapped(const std::vector<double>& f, double x) {
  const double length = f.back() - f.front();
  const double turns = std::floor((x - f.front()) / length);
  return turns == 0 || x == f.back() ? x : x - turns * length;
}

// The cell that holds x.
int cell_of(const std::vector<double>& f, double x) {
  const auto upper = std::upper_bound(f.begin(), f.end(), x) - f.begin();
  return std::clamp(static_cast<int>(upper) - 1, 0, static_cast<int>(f.size()) - 2);
}

// Interpolation of values on the high faces of cells; the low face of the box is low_side.
Stencil on_faces(const std::vector<double>& f, bool periodic, double x) {
  const int i = cell_of(f, x), n = static_cast<int>(f.size()) - 1;
  const auto at = static_cast<std::size_t>(i);
  const int before = i > 0 ? i - 1 : periodic ? n - 1 : low_side;
  return between(before, i, f[at], f[at + 1], x);
}

// Interpolation of values at the centres of cells. `sides`: whether the boundaries have values.
Stencil on_centres(const std::vector<double>& f, bool periodic, std::array<bool, 2> sides, bool extrapolated,
                   double x) {
  const int n = static_cast<int>(f.size()) - 1;
  const auto centre = [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    return (f[at] + f[at + 1]) / 2;
  };
  int low = cell_of(f, x);
  if (x < centre(low)) --low;
  if (low >= 0 && low < n - 1) return between(low, low + 1, centre(low), centre(low + 1), x);
  const double length = f.back() - f.front();
  const bool at_low = low < 0;
  if (periodic)
    return at_low ? between(n - 1, 0, centre(n - 1) - length, centre(0), x)
                  : between(n - 1, 0, centre(n - 1), centre(0) + length, x);
  if (at_low && sides[0]) return between(low_side, 0, f.front(), centre(0), x);
  if (!at_low && sides[1]) return between(n - 1, n, centre(n - 1), f.back(), x);
  if (extrapolated && n > 1)
    return at_low ? between(0, 1, centre(0), centre(1), x) : between(n - 2, n - 1, centre(n - 2), centre(n - 1), x);
  return {{at_low ? 0 : n - 1, 0}, {1, 0}};
}

template <class Value>
double blend(const std::array<Stencil, 3>& s, const Value& value) {
  double sum = 0;
  for (std::size_t c = 0; c < 8; ++c) {
    const std::size_t a = c & 1, b = c >> 1 & 1, d = c >> 2;
    const double weight = s[0].weight[a] * s[1].weight[b] * s[2].weight[d];
    if (weight != 0) sum += weight * value({s[0].node[a], s[1].node[b], s[2].node[d]});
  }
  return sum;
}

// `value` returns a number of a state: value(array, cell).
template <class Value>
double velocity_at(const Problem& p, const Value& value, std::size_t c, const std::array<double, 3>& x) {
  std::array<Stencil, 3> stencils;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::array<bool, 2> walls = {p.sides[d][0].edge == Edge::wall, p.sides[d][1].edge == Edge::wall};
    const bool periodic = p.periodic(static_cast<int>(d));
    stencils[d] = d == c ? on_faces(p.faces[d], periodic, x[d]) : on_centres(p.faces[d], periodic, walls, false, x[d]);
  }
  const Extents e = p.extents();
  return blend(stencils, [&](const std::array<int, 3>& at) -> double {
    if (at[c] == low_side) return 0;  // no flow through a closed side
    for (std::size_t d = 0; d < 3; ++d) {
      if (at[d] == low_side) return p.sides[d][0].velocity[c];
      if (at[d] == e.extent(static_cast<int>(d))) return p.sides[d][1].velocity[c];
    }
    return value(static_cast<int>(c), at);
  });
}

// Which values are read depends on the point alone.
template <class Value>
Sample sample_of(const Problem& problem, const Value& value, const std::array<double, 3>& point) {
  std::array<double, 3> x = point;
  std::array<Stencil, 3> centres;
  for (std::size_t d = 0; d < 3; ++d) {
    const bool periodic = problem.periodic(static_cast<int>(d));
    if (periodic) x[d] = wrapped(problem.faces[d], x[d]);
    centres[d] = on_centres(problem.faces[d], periodic, {false, false}, true, x[d]);
  }
  Sample all;
  for (std::size_t c = 0; c < 3; ++c) all.velocity[c] = velocity_at(problem, value, c, x);
  constexpr int pressure = 3;
  all.pressure = blend(centres, [&](const std::array<int, 3>& at) -> double { return value(pressure, at); });
  return all;
}

}  // namespace

std::array<double, 3> Line::point(int n, int points) const {
  const double share = static_cast<double>(n) / (points - 1);
  std::array<double, 3> x;
  for (std::size_t d = 0; d < 3; ++d) x[d] = n == points - 1 ? to[d] : from[d] + share * (to[d] - from[d]);
  return x;
}

void require_inside(const Problem& problem, const std::array<double, 3>& point) {
  for (std::size_t d = 0; d < 3; ++d) {
    const auto& f = problem.faces[d];
    if (!(point[d] >= f.front() && point[d] <= f.back()))
      throw std::invalid_argument(fmt::format("{} = {} is outside of the box; from {} to {} is required", "xyz"[d],
                                              point[d], f.front(), f.back()));
  }
}

template <class T>
Sample sample(const Problem& problem, const State<T>& state, const std::array<double, 3>& point) {
  const auto value = [&](int array, const std::array<int, 3>& at) {
    const auto& values = array < 3 ? state.velocity[static_cast<std::size_t>(array)] : state.pressure;
    return static_cast<double>(values[state.extents.at(at[0], at[1], at[2])]);
  };
  return sample_of(problem, value, point);
}

template <class T>
std::vector<Sample> samples_at(const Problem& problem, std::span<const std::array<double, 3>> points,
                               const std::function<std::vector<T>(std::span<const CellValue>)>& values) {
  std::vector<CellValue> wanted;
  const auto note = [&](int array, const std::array<int, 3>& at) {
    wanted.push_back({array, at});
    return 0.0;
  };
  for (const auto& point : points) sample_of(problem, note, point);
  const std::vector<T> known = values(wanted);
  std::size_t n = 0;
  const auto next = [&](int, const std::array<int, 3>&) { return static_cast<double>(known[n++]); };
  std::vector<Sample> samples;
  for (const auto& point : points) samples.push_back(sample_of(problem, next, point));
  return samples;
}

template std::vector<Sample> samples_at(const Problem&, std::span<const std::array<double, 3>>,
                                        const std::function<std::vector<float>(std::span<const CellValue>)>&);
template std::vector<Sample> samples_at(const Problem&, std::span<const std::array<double, 3>>,
                                        const std::function<std::vector<double>(std::span<const CellValue>)>&);
template Sample sample(const Problem&, const State<float>&, const std::array<double, 3>&);
template Sample sample(const Problem&, const State<double>&, const std::array<double, 3>&);

}  // namespace speedwell::incompressible_flow

#include "speedwell/apps/incompressible_flow/statistics/profiles.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "speedwell/apps/incompressible_flow/mesh/geometry.hpp"

namespace speedwell::incompressible_flow {
namespace {

// Means over a plane of cells, or of the faces on its high side: velocities along, across and along the third axis,
// their squares, and the product of the first two, each interpolated to the edges between them by averages.
enum { mean_u, mean_v, mean_w, square_u, square_v, square_w, product_uv, mean_u_at_face, quantities };

}  // namespace

Profiles::Profiles(const Problem& problem) : problem_(problem), extents_(problem.extents()) {
  int walled = 0;
  for (int d = 0; d < 3; ++d)
    if (!problem.periodic(d)) {
      ++walled;
      across_ = d;
    }
  if (walled != 1 || !problem.solid.empty())
    throw std::invalid_argument(fmt::format(
        "profiles require a flow between two walls without solids; {} axes of this one have walls", walled));
  along_ = across_ == 0 ? 1 : 0;
  other_ = 3 - across_ - along_;
  for (const int d : {along_, other_})
    if (!problem.uniform(d))
      throw std::invalid_argument("profiles require a uniform mesh along the axes parallel to the walls");
  sums_.assign(static_cast<std::size_t>(quantities) * static_cast<std::size_t>(extents_.extent(across_)), 0);
}

template <class T>
void Profiles::add(const State<T>& state) {
  if (!(state.extents == extents_)) throw std::invalid_argument("a state of another mesh");
  const int n = extents_.extent(across_), na = extents_.extent(along_), no = extents_.extent(other_);
  const auto value = [&](int c, int a, int j, int o) {
    int at[3];
    at[along_] = a % na;
    at[across_] = j;
    at[other_] = o % no;
    return static_cast<double>(state.velocity[static_cast<std::size_t>(c)][extents_.at(at[0], at[1], at[2])]);
  };
#pragma omp parallel for schedule(static)
  for (int j = 0; j < n; ++j) {
    std::array<double, quantities> plane{};
    for (int o = 0; o < no; ++o) {
      std::array<double, quantities> row{};
      for (int a = 0; a < na; ++a) {
        const double u = value(along_, a, j, o), v = value(across_, a, j, o), w = value(other_, a, j, o);
        row[mean_u] += u;
        row[mean_v] += v;
        row[mean_w] += w;
        row[square_u] += u * u;
        row[square_v] += v * v;
        row[square_w] += w * w;
        if (j + 1 == n) continue;  // the wall
        const double u_at = 0.5 * (u + value(along_, a, j + 1, o));
        row[product_uv] += u_at * 0.5 * (v + value(across_, a + 1, j, o));
        row[mean_u_at_face] += u_at;
      }
      for (std::size_t q = 0; q < quantities; ++q) plane[q] += row[q];
    }
    for (std::size_t q = 0; q < quantities; ++q)
      sums_[q * static_cast<std::size_t>(n) + static_cast<std::size_t>(j)] += plane[q] / (static_cast<double>(na) * no);
  }
  ++samples_;
}

double Profiles::mean(int what, int j) const {
  const auto n = static_cast<std::size_t>(extents_.extent(across_));
  if (j < 0) return 0;
  return sums_[static_cast<std::size_t>(what) * n + static_cast<std::size_t>(j)] / static_cast<double>(samples_);
}

double Profiles::slope(int face) const {
  const Geometry g(problem_);
  const int n = extents_.extent(across_);
  if (face > 0 && face < n) return (mean(mean_u, face) - mean(mean_u, face - 1)) / g.distance(across_, face - 1);
  const Side& side = problem_.sides[static_cast<std::size_t>(across_)][face == 0 ? 0 : 1];
  if (side.edge == Edge::slip) return 0;
  const int j = face == 0 ? 0 : n - 1;
  const double difference = mean(mean_u, j) - side.velocity[static_cast<std::size_t>(along_)];
  return (face == 0 ? 1 : -1) * difference / (0.5 * g.width(across_, j));
}

double Profiles::friction_velocity() const {
  const double low = std::abs(slope(0)), high = std::abs(slope(extents_.extent(across_)));
  return std::sqrt(problem_.viscosity * 0.5 * (low + high));
}

std::string Profiles::text() const {
  std::string text = "y,y_plus,U,V,W,uu,vv,ww,uv,stress,U_plus,uu_plus,vv_plus,ww_plus,uv_plus,stress_plus\n";
  if (samples_ == 0) return text;
  const int n = extents_.extent(across_);
  const auto& faces = problem_.faces[static_cast<std::size_t>(across_)];
  const double u_tau = friction_velocity();
  const auto covariance = [&](int j) {  // at the face on the high side of cell j
    return j < 0 || j == n - 1 ? 0 : mean(product_uv, j) - mean(mean_u_at_face, j) * mean(mean_v, j);
  };
  for (int j = 0; j < n; ++j) {
    const auto square = [&](int of, int what, int at) { return mean(of, at) - mean(what, at) * mean(what, at); };
    const double y = 0.5 * (faces[static_cast<std::size_t>(j)] + faces[static_cast<std::size_t>(j) + 1]);
    const double uu = square(square_u, mean_u, j), ww = square(square_w, mean_w, j),
                 vv = 0.5 * (square(square_v, mean_v, j - 1) + square(square_v, mean_v, j)),
                 uv = 0.5 * (covariance(j - 1) + covariance(j)),
                 stress = 0.5 * problem_.viscosity * (slope(j) + slope(j + 1)) - uv;
    text += fmt::format("{:.17g},", y);
    if (u_tau > 0)
      text += fmt::format("{:.9g}", std::min(y - faces.front(), faces.back() - y) * u_tau / problem_.viscosity);
    for (const double q :
         {mean(mean_u, j), 0.5 * (mean(mean_v, j - 1) + mean(mean_v, j)), mean(mean_w, j), uu, vv, ww, uv, stress})
      text += fmt::format(",{:.9g}", q);
    text += u_tau > 0 ? fmt::format(",{:.9g}", mean(mean_u, j) / u_tau) : ",";
    for (const double q : {uu, vv, ww, uv, stress})
      text += u_tau > 0 ? fmt::format(",{:.9g}", q / (u_tau * u_tau)) : ",";
    text += "\n";
  }
  return text;
}

void Profiles::restore(std::int64_t samples, const std::vector<double>& sums) {
  if (sums.size() != sums_.size() || samples < 0) throw std::invalid_argument("profiles of another mesh");
  samples_ = samples;
  sums_ = sums;
}

template void Profiles::add(const State<float>&);
template void Profiles::add(const State<double>&);

}  // namespace speedwell::incompressible_flow

#include "speedwell/apps/incompressible_flow/verify/reference_linear.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace speedwell::incompressible_flow::reference {

double dot(const Cells& a, const Cells& b) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum) if (a.size() > cells_worth_a_team)
  for (std::size_t n = 0; n < a.size(); ++n) sum += a[n] * b[n];
  return sum;
}

void solve(const std::function<void(const Cells&, Cells&)>& apply, const Cells& b, Cells& x) {
  Cells r(b.size()), q(b.size());
  apply(x, q);
  for (std::size_t n = 0; n < b.size(); ++n) r[n] = b[n] - q[n];
  constexpr double enough = 1e-10;
  const double scale = std::sqrt(std::max(dot(b, b), dot(r, r)));
  if (scale == 0) return;
  Cells p = r, best = x;
  double rho = dot(r, r), min_residual = std::sqrt(rho);
  std::size_t since = 0;
  while (std::sqrt(rho) > 1e-15 * scale && since < 2000 + b.size() / 16) {
    apply(p, q);
    const double curvature = dot(p, q);
    if (!(curvature > 0)) break;
    const double alpha = rho / curvature;
#pragma omp parallel for if (b.size() > cells_worth_a_team)
    for (std::size_t n = 0; n < b.size(); ++n) {
      x[n] += alpha * p[n];
      r[n] -= alpha * q[n];
    }
    const double next = dot(r, r);
#pragma omp parallel for if (b.size() > cells_worth_a_team)
    for (std::size_t n = 0; n < b.size(); ++n) p[n] = r[n] + next / rho * p[n];
    rho = next;
    ++since;
    if (std::sqrt(rho) < 0.5 * min_residual) {
      min_residual = std::sqrt(rho);
      best = x;
      since = 0;
    }
    if (min_residual <= enough * scale && std::sqrt(rho) > 1e4 * min_residual) break;
  }
  x = best;
  if (!(min_residual <= enough * scale))
    throw std::runtime_error("the reference's linear solve stalls at " + std::to_string(min_residual / scale));
}

Poisson::Poisson(const Mesh& mesh)
    : mesh_(mesh),
      weight_(mesh.zeros()),
      volume_(mesh.cells()),
      rhs_(mesh.cells()),
      residual_(mesh.cells()),
      product_(mesh.cells()),
      correction_(mesh.cells()) {
  mesh.for_each([&](const Cell& p) {
    const std::size_t n = mesh.at(p);
    volume_[n] = mesh.is_solid(p) ? 0 : mesh.width(0, p[0]) * mesh.width(1, p[1]) * mesh.width(2, p[2]);
    for (int c = 0; c < 3; ++c) {
      if (!mesh.is_open(c, p)) continue;
      const double distance = mesh.distance(c, p[static_cast<std::size_t>(c)]);
      weight_[static_cast<std::size_t>(c)][n] = volume_of_face(mesh, c, p) / distance / distance;
    }
  });
}

double Poisson::apply_and_weigh(const Cells& x, Cells& y) const {
  const Extents e{mesh_.n(0), mesh_.n(1), mesh_.n(2)};
  double square = 0;
#pragma omp parallel for collapse(2) reduction(+ : square) if (e.cells() > cells_worth_a_team)
  for (int k = 0; k < e.nz; ++k)
    for (int j = 0; j < e.ny; ++j)
      for (int i = 0; i < e.nx; ++i) {
        const std::size_t n = e.at(i, j, k);
        const std::size_t above[] = {e.at(i + 1 < e.nx ? i + 1 : 0, j, k), e.at(i, j + 1 < e.ny ? j + 1 : 0, k),
                                     e.at(i, j, k + 1 < e.nz ? k + 1 : 0)};
        const std::size_t below[] = {e.at(i > 0 ? i - 1 : e.nx - 1, j, k), e.at(i, j > 0 ? j - 1 : e.ny - 1, k),
                                     e.at(i, j, k > 0 ? k - 1 : e.nz - 1)};
        double sum = 0, size = 0;
        for (std::size_t c = 0; c < 3; ++c) {
          const double out = weight_[c][n], in = weight_[c][below[c]];
          sum += out * (x[n] - x[above[c]]) + in * (x[n] - x[below[c]]);
          size += out * (std::abs(x[n]) + std::abs(x[above[c]])) + in * (std::abs(x[n]) + std::abs(x[below[c]]));
        }
        y[n] = sum;
        square += size * size;
      }
  return std::sqrt(square);
}

// Iterative refinement with the approximate solver until the residual is a rounding error: that of b - A p is at most 8
// u |A| |p| (a difference, a factor, six sums) and u |b|, and so is the effect of rounding p. Returns false if six
// corrections do not suffice: the approximation is then of another system.
bool Poisson::refined(Cells& p, const Approximate& approximate) {
  const Cells& b = rhs_;
  Cells &r = residual_, &q = product_;
  const double u = std::numeric_limits<double>::epsilon() / 2, of_b = std::sqrt(dot(b, b));
  mesh_.for_each([&](const Cell& at) {
    const std::size_t n = mesh_.at(at);
    r[n] = b[n];
    p[n] = 0;
  });
  for (int round = 0; round < 6; ++round) {
#pragma omp parallel for if (b.size() > cells_worth_a_team)
    for (std::size_t n = 0; n < b.size(); ++n) q[n] = volume_[n] > 0 ? -r[n] / volume_[n] : 0;
    approximate(q, correction_);
#pragma omp parallel for if (b.size() > cells_worth_a_team)
    for (std::size_t n = 0; n < b.size(); ++n) p[n] += correction_[n];
    const double size = apply_and_weigh(p, q);
#pragma omp parallel for if (b.size() > cells_worth_a_team)
    for (std::size_t n = 0; n < b.size(); ++n) r[n] = b[n] - q[n];
    if (round > 0 && std::sqrt(dot(r, r)) <= 9 * u * size + u * of_b) return true;
  }
  return false;
}

void Poisson::solve_for(const Cells& rhs, Cells& p, const Approximate& approximate) {
  Cells& b = rhs_;
  double all = 0, sum = 0;
#pragma omp parallel for reduction(+ : all, sum) if (b.size() > cells_worth_a_team)
  for (std::size_t n = 0; n < b.size(); ++n) {
    b[n] = -rhs[n] * volume_[n];
    sum += b[n];
    all += volume_[n];
  }
#pragma omp parallel for if (b.size() > cells_worth_a_team)
  for (std::size_t n = 0; n < b.size(); ++n) b[n] -= sum / all * volume_[n];  // rounding only
  if (!approximate || !refined(p, approximate)) {
    for (const double x : p)
      if (!std::isfinite(x)) {
        std::fill(p.begin(), p.end(), 0.0);
        break;
      }
    solve([&](const Cells& x, Cells& y) { apply(x, y); }, b, p);
  }
  const double mean = dot(p, volume_) / all;
#pragma omp parallel for if (b.size() > cells_worth_a_team)
  for (std::size_t n = 0; n < p.size(); ++n) p[n] = volume_[n] > 0 ? p[n] - mean : 0;
}

}  // namespace speedwell::incompressible_flow::reference

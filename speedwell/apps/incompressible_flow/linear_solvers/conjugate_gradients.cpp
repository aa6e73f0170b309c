#include "speedwell/apps/incompressible_flow/linear_solvers/conjugate_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::incompressible_flow {

template <class T>
ConjugateGradients<T>::ConjugateGradients(const Problem& problem, const Layout& layout, RowTeam& team, core::Isa isa,
                                          DirectSolver<T>* direct, double weight)
    : problem_(problem),
      layout_(layout),
      team_(team),
      metrics_(problem, team.first_plane()),
      kernels_(row_kernels<T>(isa)),
      vectors_(vector_rows<T>(isa)),
      direct_(direct),
      weight_(static_cast<T>(weight)),
      inverse_diagonal_(layout),
      r_(layout),
      s_(layout),
      z_(layout),
      p_(layout),
      q_(layout) {
  const int nx = layout.n[0];
  const Extents e = problem.extents();
  if (!problem.solid.empty()) {
    fluid_ = Field<T>(layout);
    team_.for_each([&](int j, int k) {
      for (int i = 0; i < nx; ++i)
        fluid_.at(layout_, j, k)[i] = problem_.solid[e.at(i, j, team_.first_plane() + k)] ? T(0) : T(1);
    });
    fill_edges_of_cells(problem_, layout_, team_, fluid_);
  }
  const MeshMetrics<T> m = metrics_.mesh();
  const auto volume_and_diagonal = [&](int j, int k, bool of_volume) {
    const T* f = fluid(j, k);
    double sum = 0;
    for (int i = 0; i < nx; ++i) {
      const T wx = m.axis[0].width[i], wy = m.axis[1].width[j], wz = m.axis[2].width[k];
      if (f && f[i] == T(0)) continue;
      if (of_volume) {
        sum += static_cast<double>(wx * wy * wz);
        continue;
      }
      const auto open = [&](std::ptrdiff_t to) { return f ? f[i + to] : T(1); };
      const T d = wy * wz * (m.axis[0].link[i] * open(1) + m.axis[0].link[i - 1] * open(-1)) +
                  wx * wz * (m.axis[1].link[j] * open(layout_.row) + m.axis[1].link[j - 1] * open(-layout_.row)) +
                  wx * wy * (m.axis[2].link[k] * open(layout_.plane) + m.axis[2].link[k - 1] * open(-layout_.plane));
      inverse_diagonal_.at(layout_, j, k)[i] = d > 0 ? 1 / d : T(0);
      sum += 1;
    }
    return sum;
  };
  fluid_cells_ = team_.sum([&](int j, int k) { return volume_and_diagonal(j, k, false); });
  fluid_volume_ = team_.sum([&](int j, int k) { return volume_and_diagonal(j, k, true); });
}

template <class T>
double ConjugateGradients<T>::apply(Field<T>& x, Field<T>& y) {
  fill_edges_of_cells(problem_, layout_, team_, x);
  const MeshMetrics<T> mesh = metrics_.mesh();
  return team_.sum([&](int j, int k) {
    return kernels_.poisson({.row = layout_.row,
                             .plane = layout_.plane,
                             .metrics = at_row(mesh, j, k),
                             .cells = layout_.n[0],
                             .x = x.at(layout_, j, k),
                             .fluid = fluid(j, k),
                             .y = y.at(layout_, j, k)});
  });
}

template <class T>
double ConjugateGradients<T>::square(const Field<T>& x) {
  return team_.sum([&](int j, int k) { return vectors_.square(layout_.n[0], x.at(layout_, j, k)); });
}

template <class T>
void ConjugateGradients<T>::remove_mean(Field<T>& x, bool by_volume) {
  const int nx = layout_.n[0];
  const MeshMetrics<T> m = metrics_.mesh();
  const double sum = team_.sum([&](int j, int k) { return vectors_.masked_sum(nx, nullptr, x.at(layout_, j, k)); });
  // Subtracts the mean: of a right-hand side in proportion to volumes, of any other field the same number everywhere.
  const double share = sum / (by_volume ? fluid_volume_ : fluid_cells_);
  team_.for_each([&](int j, int k) {
    T* row = x.at(layout_, j, k);
    const T* f = fluid(j, k);
    for (int i = 0; i < nx; ++i) {
      const double volume = by_volume ? m.axis[0].width[i] * m.axis[1].width[j] * m.axis[2].width[k] : 1;
      row[i] -= static_cast<T>(share * volume) * (f ? f[i] : T(1));
    }
  });
}

// z = M^-1 r, less its mean; returns the sum of r z.
template <class T>
double ConjugateGradients<T>::precondition() {
  const int nx = layout_.n[0];
  const MeshMetrics<T> m = metrics_.mesh();
  double sum = 0;
  if (direct_) {
    team_.for_each([&](int j, int k) {
      const T* r = r_.at(layout_, j, k);
      T* z = z_.at(layout_, j, k);
      for (int i = 0; i < nx; ++i)
        z[i] = -r[i] * (m.axis[0].inverse_width[i] * m.axis[1].inverse_width[j] * m.axis[2].inverse_width[k]);
      direct_->put(j, k, z);
    });
    direct_->solve();
    sum = team_.sum([&](int j, int k) {
      T* z = z_.at(layout_, j, k);
      direct_->get(j, k, z);
      return vectors_.masked_sum(nx, fluid(j, k), z);
    });
  } else {
    team_.for_each([&](int j, int k) {
      const T *r = r_.at(layout_, j, k), *d = inverse_diagonal_.at(layout_, j, k);
      T* s = s_.at(layout_, j, k);
      for (int i = 0; i < nx; ++i) s[i] = d[i] * r[i];
    });
    if (weight_ != T(0)) apply(s_, z_);
    sum = team_.sum([&](int j, int k) {
      const T *s = s_.at(layout_, j, k), *d = inverse_diagonal_.at(layout_, j, k);
      T* z = z_.at(layout_, j, k);
      for (int i = 0; i < nx; ++i) z[i] = weight_ != T(0) ? (1 + weight_) * s[i] - weight_ * d[i] * z[i] : s[i];
      return vectors_.masked_sum(nx, nullptr, z);
    });
  }
  const T mean = static_cast<T>(sum / fluid_cells_);
  return team_.sum([&](int j, int k) {
    return vectors_.shifted_product(nx, mean, fluid(j, k), r_.at(layout_, j, k), z_.at(layout_, j, k));
  });
}

template <class T>
int ConjugateGradients<T>::solve(Field<T>& rhs, Field<T>& x, double tolerance, int max_iterations) {
  const int nx = layout_.n[0];
  const MeshMetrics<T> m = metrics_.mesh();
  team_.for_each([&](int j, int k) {  // -volume f
    const T* f = rhs.at(layout_, j, k);
    const T* is_fluid = fluid(j, k);
    T* r = r_.at(layout_, j, k);
    for (int i = 0; i < nx; ++i)
      r[i] = -f[i] * m.axis[0].width[i] * m.axis[1].width[j] * m.axis[2].width[k] * (is_fluid ? is_fluid[i] : T(1));
  });
  remove_mean(r_, true);
  const double goal = tolerance * std::sqrt(square(r_));
  apply(x, q_);
  team_.for_each([&](int j, int k) {
    const T* q = q_.at(layout_, j, k);
    T* r = r_.at(layout_, j, k);
    for (int i = 0; i < nx; ++i) r[i] -= q[i];
  });
  double residual = std::sqrt(square(r_)), rho = 0;
  int iterations = 0;
  while (residual > goal) {
    if (iterations == max_iterations || !std::isfinite(residual))
      throw core::DeviceError("conjugate gradients: a residual of " + std::to_string(residual / goal * tolerance) +
                              " times the right-hand side's after " + core::counted(iterations, "iteration"));
    const double next = precondition();
    const T beta = static_cast<T>(iterations == 0 ? 0 : next / rho);
    rho = next;
    team_.for_each([&](int j, int k) {
      const T* z = z_.at(layout_, j, k);
      T* p = p_.at(layout_, j, k);
      if (iterations == 0)
        std::copy_n(z, nx, p);
      else
        vectors_.new_direction(nx, beta, z, p);
    });
    const T alpha = static_cast<T>(rho / apply(p_, q_));
    residual = std::sqrt(team_.sum([&](int j, int k) {
      return vectors_.advance(nx, alpha, p_.at(layout_, j, k), q_.at(layout_, j, k), x.at(layout_, j, k),
                              r_.at(layout_, j, k));
    }));
    ++iterations;
  }
  remove_mean(x, false);
  return iterations;
}

template class ConjugateGradients<float>;
template class ConjugateGradients<double>;

}  // namespace speedwell::incompressible_flow

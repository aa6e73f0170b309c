#include "speedwell/apps/incompressible_flow/linear_solvers/diffusion_solver.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::incompressible_flow {

template <class T>
DiffusionSolver<T>::DiffusionSolver(const Problem& problem, const Layout& layout, RowTeam& team, core::Isa isa)
    : problem_(problem),
      layout_(layout),
      team_(team),
      metrics_(problem, team.first_plane()),
      kernels_(row_kernels<T>(isa)),
      x_(layout),
      r_(layout),
      p_(layout),
      q_(layout) {}

template <class T>
int DiffusionSolver<T>::open(int c, int j, int k) const {
  return open_faces(problem_, layout_, team_, c, j, k);
}

template <class T>
int DiffusionSolver<T>::solve(int c, double factor, const Field<T>& guess, const T* wall_drag, Field<T>& b) {
  const int nx = layout_.n[0];
  const Extents e = problem_.extents();
  const MeshMetrics<T> mesh = metrics_.mesh();
  const auto wall_drag_of = [&](int j, int k) { return wall_drag ? wall_drag + e.at(0, j, k) : nullptr; };
  const auto apply = [&](Field<T>& x, Field<T>& y, bool moving) {
    fill_edges(problem_, layout_, team_, c, x, moving);
    return team_.sum([&](int j, int k) {
      return kernels_.helmholtz({.row = layout_.row,
                                 .plane = layout_.plane,
                                 .metrics = at_row(mesh, j, k),
                                 .component = c,
                                 .open = open(c, j, k),
                                 .cells = nx,
                                 .factor = static_cast<T>(factor),
                                 .x = x.at(layout_, j, k),
                                 .wall_drag = wall_drag_of(j, k),
                                 .y = y.at(layout_, j, k)});
    });
  };
  // The volume of a face, and the diagonal of the operator there.
  const auto size = [&](int i, int j, int k, bool diagonal) {
    const int at[] = {i, j, k};
    T volume = 1, sum = 0;
    for (int d = 0; d < 3; ++d) {
      const AxisMetrics<T>& a = mesh.axis[d];
      const int n = at[d];
      volume *= d == c ? 1 / a.inverse_distance[n] : a.width[n];
      sum += d == c ? a.inverse_distance[n] * (a.inverse_width[n] + a.inverse_width[n + 1])
                    : a.inverse_width[n] * (a.inverse_distance[n] + a.inverse_distance[n - 1]);
    }
    const T* f = wall_drag_of(j, k);
    return diagonal ? volume * (1 + static_cast<T>(factor) * (sum + (f && f[i] > 0 ? f[i] : T(0)))) : volume;
  };
  team_.for_each([&](int j, int k) {
    const T* from = guess.at(layout_, j, k);
    std::copy(from, from + nx, x_.at(layout_, j, k));
  });
  apply(x_, q_, true);
  double scale = 0, rho = 0;
  const auto products = [&](bool begins) {
    double of_rows = 0;
    of_rows = team_.sum([&](int j, int k) {
      T *r = r_.at(layout_, j, k), *q = q_.at(layout_, j, k);
      const T *right = b.at(layout_, j, k), *f = wall_drag_of(j, k);
      const int count = open(c, j, k);
      double here = 0;
      for (int i = 0; i < nx; ++i) {
        const bool closed = i >= count || (f && f[i] < 0);
        if (begins) r[i] = closed ? T(0) : right[i] * size(i, j, k, false) - q[i];
        if (closed) r[i] = 0;
        const T inverse = 1 / size(i, j, k, true);
        q[i] = r[i] * inverse;  // the preconditioned residual
        here += static_cast<double>(r[i]) * static_cast<double>(q[i]);
      }
      return here;
    });
    return of_rows;
  };
  scale = team_.sum([&](int j, int k) {
    const T* right = b.at(layout_, j, k);
    double here = 0;
    for (int i = 0; i < nx; ++i)
      here += static_cast<double>(right[i]) * static_cast<double>(right[i]) * static_cast<double>(size(i, j, k, false));
    return here;
  });
  rho = products(true);
  // The tolerance, in the norm of the diagonal, is ten roundings of the right-hand side: smaller residuals are rounding
  // errors.
  const double tolerance = 10 * static_cast<double>(std::numeric_limits<T>::epsilon());
  const double goal = tolerance * tolerance * std::max(scale, std::numeric_limits<double>::min());
  int iterations = 0;
  double beta = 0;
  while (rho > goal) {
    if (iterations == 1000 || !std::isfinite(rho))
      throw core::DeviceError("the diffusion solver does not converge: a residual of " +
                              std::to_string(std::sqrt(rho / scale)) + " times the right-hand side's after " +
                              core::counted(iterations, "iteration"));
    team_.for_each([&](int j, int k) {
      const T* q = q_.at(layout_, j, k);
      T* p = p_.at(layout_, j, k);
      for (int i = 0; i < nx; ++i) p[i] = iterations == 0 ? q[i] : q[i] + static_cast<T>(beta) * p[i];
    });
    const T alpha = static_cast<T>(rho / apply(p_, q_, false));
    team_.for_each([&](int j, int k) {
      const T *p = p_.at(layout_, j, k), *q = q_.at(layout_, j, k);
      T *x = x_.at(layout_, j, k), *r = r_.at(layout_, j, k);
      for (int i = 0; i < nx; ++i) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
      }
    });
    const double next = products(false);
    beta = next / rho;
    rho = next;
    ++iterations;
  }
  team_.for_each([&](int j, int k) {
    const T *from = x_.at(layout_, j, k), *f = wall_drag_of(j, k);
    T* to = b.at(layout_, j, k);
    const int count = open(c, j, k);
    for (int i = 0; i < nx; ++i) to[i] = i >= count || (f && f[i] < 0) ? T(0) : from[i];
  });
  return iterations;
}

template class DiffusionSolver<float>;
template class DiffusionSolver<double>;

}  // namespace speedwell::incompressible_flow

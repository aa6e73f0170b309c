// The oracle. Written from the definitions, index by index; slow and plain on purpose.
#include "speedwell/apps/stencil/reference.hpp"

#include <cmath>
#include <numeric>
#include <vector>

namespace speedwell::stencil {
namespace {

// The cell at an offset from (i, j, k), or -1 beyond a box that is not periodic.
std::int64_t cell_at(const Grid& g, Boundary boundary, std::int64_t i, std::int64_t j, std::int64_t k) {
  if (boundary == Boundary::periodic) return ((k + g.nz) % g.nz * g.ny + (j + g.ny) % g.ny) * g.nx + (i + g.nx) % g.nx;
  if (i < 0 || i >= g.nx || j < 0 || j >= g.ny || k < 0 || k >= g.nz) return -1;
  return (k * g.ny + j) * g.nx + i;
}

}  // namespace

template <class T>
Exact reference_product_at(const Operator<T>& a, const T* x, std::int64_t i, std::int64_t j, std::int64_t k) {
  const Grid& g = a.grid;
  const std::int64_t here = cell_at(g, a.boundary, i, j, k);
  const std::int64_t there[6] = {cell_at(g, a.boundary, i - 1, j, k), cell_at(g, a.boundary, i + 1, j, k),
                                 cell_at(g, a.boundary, i, j - 1, k), cell_at(g, a.boundary, i, j + 1, k),
                                 cell_at(g, a.boundary, i, j, k - 1), cell_at(g, a.boundary, i, j, k + 1)};
  const std::int64_t index[3] = {i, j, k};
  const long double centre = x[here];
  Exact sum;
  const auto add = [&](long double coefficient, long double value) {
    sum.value += coefficient * value;
    sum.magnitude += std::abs(coefficient * value);
  };
  if (a.form == Form::E) add(a.cell[1][here], centre);
  if (a.form == Form::E0) add(a.weight[3], centre);
  if (a.form == Form::G) add(a.cell[0][here], centre);
  if (a.form == Form::L || a.form == Form::V) add(a.sigma, centre);
  for (int f = 0; f < 6; ++f) {
    const int d = f / 2;
    const bool upper = f % 2 == 1;
    const bool missing = there[f] < 0;
    const long double neighbour = missing ? 0.0L : static_cast<long double>(x[there[f]]);
    switch (a.form) {
      case Form::E:
        add(static_cast<long double>(a.cell[0][here]) * a.metric[d][index[d]], neighbour);
        break;
      case Form::E0:
        add(a.weight[d], neighbour);
        break;
      case Form::G:
        add(a.cell[1 + f][here], neighbour);
        break;
      case Form::L:
      case Form::V: {
        if (missing && a.boundary == Boundary::none) break;
        long double face = 1;
        if (a.form == Form::L) {
          for (int other = 0; other < 3; ++other)
            if (other != d) face *= a.metric[other][index[other]];
          face *= a.inverse[d][index[d] + (upper ? 1 : 0)];
        } else {
          face = a.cell[d][upper || missing ? here : there[f]];
        }
        add(face, centre);
        add(-face, neighbour);
        break;
      }
    }
  }
  return sum;
}

template <class T>
std::vector<double> reference_product(const Operator<T>& a, const T* x) {
  std::vector<double> y(static_cast<std::size_t>(a.grid.size()));
#pragma omp parallel for collapse(2) schedule(static)
  for (std::int64_t k = 0; k < a.grid.nz; ++k)
    for (std::int64_t j = 0; j < a.grid.ny; ++j)
      for (std::int64_t i = 0; i < a.grid.nx; ++i)
        y[static_cast<std::size_t>((k * a.grid.ny + j) * a.grid.nx + i)] =
            static_cast<double>(reference_product_at(a, x, i, j, k).value);
  return y;
}

template <class T>
std::vector<T> reference_sweeps(const Operator<T>& a, const T* x, int sweeps) {
  std::vector<T> now(x, x + a.grid.size());
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const std::vector<double> next = reference_product(a, now.data());
    for (std::size_t c = 0; c < now.size(); ++c) now[c] = static_cast<T>(next[c]);
  }
  return now;
}

template <class T>
double reference_residual(const Operator<T>& a, const T* b, const T* x) {
  // Sums of planes: the order of additions does not depend on threads.
  std::vector<long double> left_of(a.grid.nz), right_of(a.grid.nz);
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < a.grid.nz; ++k)
    for (std::int64_t j = 0; j < a.grid.ny; ++j)
      for (std::int64_t i = 0; i < a.grid.nx; ++i) {
        const std::int64_t cell = (k * a.grid.ny + j) * a.grid.nx + i;
        const long double r = b[cell] - reference_product_at(a, x, i, j, k).value;
        left_of[k] += r * r;
        right_of[k] += static_cast<long double>(b[cell]) * b[cell];
      }
  const long double left = std::accumulate(left_of.begin(), left_of.end(), 0.0L),
                    right = std::accumulate(right_of.begin(), right_of.end(), 0.0L);
  return static_cast<double>(right > 0 ? std::sqrt(left / right) : std::sqrt(left));
}

template <class T>
ReferenceCg reference_cg(const Operator<T>& a, const T* b, int iterations, double tolerance, bool conditioned,
                         double omega) {
  using Field = std::vector<double>;
  const auto size = static_cast<std::size_t>(a.grid.size());
  const auto dot = [size](const Field& u, const Field& v) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (std::size_t c = 0; c < size; ++c) sum += u[c] * v[c];
    return sum;
  };
  std::vector<T> narrow(size);
  const auto times = [&](const Field& p) {  // the operator takes T
    for (std::size_t c = 0; c < size; ++c) narrow[c] = static_cast<T>(p[c]);
    return reference_product(a, narrow.data());
  };
  Field diagonal(conditioned ? size : 0);
  if (conditioned) {
    std::vector<T> unit(size, T(0));
    for (std::size_t c = 0; c < size; ++c) {
      unit[c] = 1;
      const auto cell = static_cast<std::int64_t>(c);
      diagonal[c] =
          static_cast<double>(reference_product_at(a, unit.data(), cell % a.grid.nx, cell / a.grid.nx % a.grid.ny,
                                                   cell / (a.grid.nx * a.grid.ny))
                                  .value);
      unit[c] = 0;
    }
  }
  const auto condition = [&](const Field& r) {
    if (!conditioned) return r;
    Field s(size), z(size);
    for (std::size_t c = 0; c < size; ++c) s[c] = r[c] / diagonal[c];
    z = s;
    if (omega != 0) {
      const Field as = times(s);
      for (std::size_t c = 0; c < size; ++c) z[c] = s[c] + omega * (diagonal[c] * s[c] - as[c]) / diagonal[c];
    }
    return z;
  };
  Field x(size, 0.0), r(b, b + size), z = condition(r), p = z;
  std::vector<double> residuals;
  const double norm = std::sqrt(dot(r, r));
  double rz = dot(r, z);
  for (int iteration = 0; iteration < iterations && std::sqrt(dot(r, r)) > tolerance * norm; ++iteration) {
    const Field q = times(p);
    const double alpha = rz / dot(p, q);
    for (std::size_t c = 0; c < size; ++c) {
      x[c] += alpha * p[c];
      r[c] -= alpha * q[c];
    }
    residuals.push_back(norm > 0 ? std::sqrt(dot(r, r)) / norm : 0);
    z = condition(r);
    const double next = dot(r, z);
    for (std::size_t c = 0; c < size; ++c) p[c] = z[c] + next / rz * p[c];
    rz = next;
  }
  return {std::move(x), std::move(residuals)};
}

#define SPEEDWELL_REFERENCE(T)                                                                                 \
  template Exact reference_product_at(const Operator<T>&, const T*, std::int64_t, std::int64_t, std::int64_t); \
  template std::vector<double> reference_product(const Operator<T>&, const T*);                                \
  template std::vector<T> reference_sweeps(const Operator<T>&, const T*, int);                                 \
  template double reference_residual(const Operator<T>&, const T*, const T*);                                  \
  template ReferenceCg reference_cg(const Operator<T>&, const T*, int, double, bool, double);
SPEEDWELL_REFERENCE(float)
SPEEDWELL_REFERENCE(double)
#undef SPEEDWELL_REFERENCE

}  // namespace speedwell::stencil

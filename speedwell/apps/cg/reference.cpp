#include "speedwell/apps/cg/reference.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "speedwell/apps/stencil/verify/reference.hpp"

namespace speedwell::cg {

using stencil::Operator;
using stencil::reference_product;
using stencil::reference_product_at;

template <class T>
double reference_residual(const Operator<T>& a, const T* b, const T* x) {
  // Sums per plane, so that the order of additions does not depend on threads.
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
double reference_norm(const Operator<T>& a) {
  const std::vector<T> ones(static_cast<std::size_t>(a.grid.size()), T(1));
  double norm = 0;
#pragma omp parallel for collapse(2) reduction(max : norm) schedule(static)
  for (std::int64_t k = 0; k < a.grid.nz; ++k)
    for (std::int64_t j = 0; j < a.grid.ny; ++j)
      for (std::int64_t i = 0; i < a.grid.nx; ++i)
        norm = std::max(norm, static_cast<double>(reference_product_at(a, ones.data(), i, j, k).magnitude));
  return norm;
}

template <class T>
ReferenceCg reference_cg(const Operator<T>& a, const T* b, int iterations, double tolerance, bool preconditioned,
                         double omega) {
  using Field = std::vector<double>;
  const auto size = static_cast<std::size_t>(a.grid.size());
  const auto each = [size](const auto& statement) {
#pragma omp parallel for schedule(static)
    for (std::size_t c = 0; c < size; ++c) statement(c);
  };
  const auto dot = [size](const Field& u, const Field& v) {
    long double sum = 0;  // in double the rounding errors of the additions would exceed those of all variants
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (std::size_t c = 0; c < size; ++c) sum += static_cast<long double>(u[c]) * v[c];
    return static_cast<double>(sum);
  };
  std::vector<T> narrow(size);
  const auto times = [&](const Field& p) {  // the operator's type is T
    each([&](std::size_t c) { narrow[c] = static_cast<T>(p[c]); });
    return reference_product(a, narrow.data());
  };
  Field diagonal(preconditioned ? size : 0);
  if (preconditioned) {
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
  const auto condition = [&](const Field& r, Field& z) {
    if (!preconditioned) {
      each([&](std::size_t c) { z[c] = r[c]; });
      return;
    }
    each([&](std::size_t c) { z[c] = r[c] / diagonal[c]; });
    if (omega == 0) return;
    const Field as = times(z);
    each([&](std::size_t c) { z[c] += omega * (diagonal[c] * z[c] - as[c]) / diagonal[c]; });
  };
  Field x(size, 0.0), r(b, b + size), z(size), p(size);
  condition(r, z);
  p = z;
  std::vector<double> residuals;
  const double norm = std::sqrt(dot(r, r));
  double rz = dot(r, z), rr = norm * norm;
  for (int iteration = 0; iteration < iterations && std::sqrt(rr) > tolerance * norm; ++iteration) {
    const Field q = times(p);
    const double alpha = rz / dot(p, q);
    each([&](std::size_t c) {
      x[c] += alpha * p[c];
      r[c] -= alpha * q[c];
    });
    rr = dot(r, r);
    residuals.push_back(norm > 0 ? std::sqrt(rr) / norm : 0);
    condition(r, z);
    const double next = dot(r, z);
    each([&](std::size_t c) { p[c] = z[c] + next / rz * p[c]; });
    rz = next;
  }
  return {std::move(x), std::move(residuals)};
}

#define SPEEDWELL_REFERENCE(T)                                                \
  template double reference_residual(const Operator<T>&, const T*, const T*); \
  template double reference_norm(const Operator<T>&);                         \
  template ReferenceCg reference_cg(const Operator<T>&, const T*, int, double, bool, double);
SPEEDWELL_REFERENCE(float)
SPEEDWELL_REFERENCE(double)
#undef SPEEDWELL_REFERENCE

}  // namespace speedwell::cg

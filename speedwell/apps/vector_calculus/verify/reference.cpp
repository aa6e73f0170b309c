#include "speedwell/apps/vector_calculus/verify/reference.hpp"

#include <cmath>
#include <functional>

namespace speedwell::vector_calculus {
namespace {

using Number = long double;

Exact sum(Exact a, Exact b) { return {a.value + b.value, a.magnitude + b.magnitude}; }
Exact difference(Exact a, Exact b) { return {a.value - b.value, a.magnitude + b.magnitude}; }
Exact product(Exact a, Exact b) { return {a.value * b.value, a.magnitude * b.magnitude}; }
Exact times(Number s, Exact a) { return {s * a.value, std::abs(s) * a.magnitude}; }

// A quantity with one or three components as a function of the point and the component.
using Quantity = std::function<Exact(std::int64_t i, std::int64_t j, std::int64_t k, int component)>;

// (q[next] - q[before]) / (2 h) of one component along one axis; (-3 q[0] + 4 q[1] - q[2]) / (2 h) at the first point
// of a one-sided grid, and the mirror image at the last one.
Exact slope(const Grid& g, int axis, const Quantity& q, int component, std::int64_t i, std::int64_t j, std::int64_t k) {
  const std::int64_t n = axis == 0 ? g.nx : axis == 1 ? g.ny : g.nz, at = axis == 0 ? i : axis == 1 ? j : k;
  const Number h = axis == 0 ? g.dx : axis == 1 ? g.dy : g.dz;
  const auto value = [&](std::int64_t where) {
    if (axis == 0) return q(where, j, k, component);
    if (axis == 1) return q(i, where, k, component);
    return q(i, j, where, component);
  };
  Exact s;
  if (g.boundary == Boundary::one_sided && at == 0)
    s = difference(difference(times(4, value(1)), times(3, value(0))), value(2));
  else if (g.boundary == Boundary::one_sided && at == n - 1)
    s = sum(difference(times(3, value(n - 1)), times(4, value(n - 2))), value(n - 3));
  else
    s = difference(value((at + 1) % n), value((at + n - 1) % n));
  return times(1 / (2 * h), s);
}

Quantity gradient(const Grid& g, const Quantity& f) {
  return [&g, f](std::int64_t i, std::int64_t j, std::int64_t k, int component) {
    return slope(g, component, f, 0, i, j, k);
  };
}
Quantity divergence(const Grid& g, const Quantity& a) {
  return [&g, a](std::int64_t i, std::int64_t j, std::int64_t k, int) {
    return sum(sum(slope(g, 0, a, 0, i, j, k), slope(g, 1, a, 1, i, j, k)), slope(g, 2, a, 2, i, j, k));
  };
}
Quantity rotation(const Grid& g, const Quantity& a) {
  return [&g, a](std::int64_t i, std::int64_t j, std::int64_t k, int component) {
    if (component == 0) return difference(slope(g, 1, a, 2, i, j, k), slope(g, 2, a, 1, i, j, k));
    if (component == 1) return difference(slope(g, 2, a, 0, i, j, k), slope(g, 0, a, 2, i, j, k));
    return difference(slope(g, 0, a, 1, i, j, k), slope(g, 1, a, 0, i, j, k));
  };
}
Quantity scalar_product(const Quantity& a, const Quantity& b) {
  return [a, b](std::int64_t i, std::int64_t j, std::int64_t k, int) {
    return sum(sum(product(a(i, j, k, 0), b(i, j, k, 0)), product(a(i, j, k, 1), b(i, j, k, 1))),
               product(a(i, j, k, 2), b(i, j, k, 2)));
  };
}
Quantity vector_product(const Quantity& a, const Quantity& b) {
  return [a, b](std::int64_t i, std::int64_t j, std::int64_t k, int component) {
    const int next = component == 2 ? 0 : component + 1, last = component == 0 ? 2 : component - 1;
    return difference(product(a(i, j, k, next), b(i, j, k, last)), product(a(i, j, k, last), b(i, j, k, next)));
  };
}
// f q for a scalar f.
Quantity multiple(const Quantity& f, const Quantity& q) {
  return [f, q](std::int64_t i, std::int64_t j, std::int64_t k, int component) {
    return product(f(i, j, k, 0), q(i, j, k, component));
  };
}
// s q + t r.
Quantity combination(Number s, const Quantity& q, Number t, const Quantity& r) {
  return [=](std::int64_t i, std::int64_t j, std::int64_t k, int component) {
    return sum(times(s, q(i, j, k, component)), times(t, r(i, j, k, component)));
  };
}

template <class T>
Quantity quantity(Operation operation, Layout layout, const Operands<T>& o) {
  const Grid& grid = *o.grid;
  const auto scalar = [&grid](const T* data) -> Quantity {
    return [&grid, data](std::int64_t i, std::int64_t j, std::int64_t k, int) {
      const Number v = data[i + grid.nx * (j + grid.ny * k)];
      return Exact{v, std::abs(v)};
    };
  };
  const auto vector = [&grid, layout](const T* data) -> Quantity {
    const std::int64_t of_point = layout == Layout::aos ? 3 : 1,
                       of_component = layout == Layout::aos ? 1 : grid.nx * grid.ny * grid.nz;
    return [=, &grid](std::int64_t i, std::int64_t j, std::int64_t k, int component) {
      const Number v = data[of_point * (i + grid.nx * (j + grid.ny * k)) + of_component * component];
      return Exact{v, std::abs(v)};
    };
  };
  const Quantity f = scalar(o.f), g = scalar(o.g), a = vector(o.a), b = vector(o.b), c = vector(o.c), d = vector(o.d);
  switch (operation) {
    case Operation::copy:
      return a;
    case Operation::add:
      return combination(1, a, 1, b);
    case Operation::scale:
      return combination(o.s[0], a, 0, a);
    case Operation::grad:
      return gradient(grid, f);
    case Operation::div:
      return divergence(grid, a);
    case Operation::curl:
      return rotation(grid, a);
    case Operation::dot:
      return scalar_product(a, b);
    case Operation::cross:
      return vector_product(a, b);
    case Operation::norm2:
      return scalar_product(a, a);
    case Operation::mul:
      return multiple(f, g);
    case Operation::lincomb4:
      return combination(1, combination(o.s[0], a, o.s[1], b), 1, combination(o.s[2], c, o.s[3], d));
    case Operation::axpy:
      return combination(1, a, o.s[0], b);
    case Operation::fscale:
      return multiple(f, a);
    case Operation::advect:
      return scalar_product(a, gradient(grid, f));
    case Operation::flux:
      return divergence(grid, multiple(f, a));
    case Operation::laplacian:
      return divergence(grid, gradient(grid, f));
    case Operation::curl_grad:
      return rotation(grid, gradient(grid, f));
    case Operation::area: {
      const Quantity n = vector_product(a, b);
      return scalar_product(n, n);
    }
    case Operation::lorentz:
      return vector_product(rotation(grid, a), a);
    case Operation::helicity:
      return scalar_product(vector_product(rotation(grid, a), a), b);
    case Operation::momentum:
      return combination(1, combination(o.s[0], vector_product(rotation(grid, a), a), -1, gradient(grid, f)), -1,
                         multiple(g, b));
  }
  return a;
}

}  // namespace

template <class T>
Reference<T>::Reference(Operation operation, Layout layout, const Operands<T>& fields)
    : components_(info(operation).components), quantity_(quantity(operation, layout, fields)) {}

template <class T>
ExactPoint Reference<T>::at(std::int64_t i, std::int64_t j, std::int64_t k) const {
  ExactPoint point;
  for (int component = 0; component < components_; ++component)
    point.component[component] = quantity_(i, j, k, component);
  return point;
}

template class Reference<float>;
template class Reference<double>;

}  // namespace speedwell::vector_calculus

// Fields made of functions of the coordinates, and results of the oracle as fields.
#pragma once

#include <vector>

#include "speedwell/apps/vector_calculus/vector_calculus.hpp"
#include "speedwell/apps/vector_calculus/verify/reference.hpp"

namespace speedwell::vector_calculus::test {

template <class Function>
void for_each_point(const Grid& g, const Function& at) {
  for (std::int64_t k = 0; k < g.nz; ++k)
    for (std::int64_t j = 0; j < g.ny; ++j)
      for (std::int64_t i = 0; i < g.nx; ++i) at(i, j, k);
}

/// f(x, y, z), with x = i dx and so on.
template <class F>
ScalarField<double> sampled_scalar(const Grid& g, const F& f) {
  ScalarField<double> field(g);
  for_each_point(g, [&](auto i, auto j, auto k) { field(i, j, k) = f(i * g.dx, j * g.dy, k * g.dz); });
  return field;
}
/// f(x, y, z) with three components.
template <class F>
VectorField<double> sampled_vector(const Grid& g, const F& f) {
  VectorField<double> field(g);
  for_each_point(g, [&](auto i, auto j, auto k) {
    const auto v = f(i * g.dx, j * g.dy, k * g.dz);
    for (int c = 0; c < 3; ++c) field(c, i, j, k) = v[c];
  });
  return field;
}

/// The oracle's answer, rounded, component behind component.
template <class T>
std::vector<T> referred(Operation operation, const Operands<T>& operands, Layout layout = Layout::soa) {
  const Grid& g = *operands.grid;
  const int components = info(operation).components;
  const Reference<T> reference(operation, layout, operands);
  std::vector<T> all(static_cast<std::size_t>(components * g.size()));
  for_each_point(g, [&](auto i, auto j, auto k) {
    const ExactPoint p = reference.at(i, j, k);
    for (int c = 0; c < components; ++c) {
      const std::int64_t point = i + g.nx * (j + g.ny * k);
      all[static_cast<std::size_t>(layout == Layout::aos ? components * point + c : c * g.size() + point)] =
          static_cast<T>(p.component[c].value);
    }
  });
  return all;
}

inline Operands<double> operands_of(const Grid& g, const ScalarField<double>* f, const VectorField<double>* a) {
  return {&g, f ? f->values().data() : nullptr, nullptr, a ? a->values().data() : nullptr};
}

}  // namespace speedwell::vector_calculus::test

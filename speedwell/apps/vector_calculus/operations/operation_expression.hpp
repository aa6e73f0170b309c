// The application's operations as expressions.
#pragma once

#include "speedwell/apps/vector_calculus/expression.hpp"
#include "speedwell/apps/vector_calculus/operations/operation.hpp"

namespace speedwell::vector_calculus {

/// The expression of an operation, built from aggregates only in one inlined function, so that files compiled for
/// several instruction sets may use it.
template <Operation operation, Layout layout, MemorySpace memory_space, class T>
SPEEDWELL_POINT auto expression_of(const Operands<T>& o) {
  using S = ScalarLeaf<T, memory_space>;
  using V = VectorLeaf<T, layout, memory_space>;
  using Kind = Operation;
  const S f{o.f, o.grid}, g{o.g, o.grid};
  const V a{o.a, o.grid}, b{o.b, o.grid}, c{o.c, o.grid}, d{o.d, o.grid};
  using Scale = Scaled<V>;
  if constexpr (operation == Kind::copy) {
    return a;
  } else if constexpr (operation == Kind::add) {
    return Sum<V, V>{{}, a, b};
  } else if constexpr (operation == Kind::scale) {
    return Scale{{}, o.s[0], a};
  } else if constexpr (operation == Kind::grad) {
    return Gradient<S>{{}, f};
  } else if constexpr (operation == Kind::div) {
    return Divergence<V>{{}, a};
  } else if constexpr (operation == Kind::curl) {
    return Curl<V>{{}, a};
  } else if constexpr (operation == Kind::dot) {
    return Dot<V, V>{{}, a, b};
  } else if constexpr (operation == Kind::cross) {
    return Cross<V, V>{{}, a, b};
  } else if constexpr (operation == Kind::norm2) {
    return Norm2<V>{{}, a};
  } else if constexpr (operation == Kind::mul) {
    return Product<S, S>{{}, f, g};
  } else if constexpr (operation == Kind::lincomb4) {
    using Two = Sum<Scale, Scale>;
    using Three = Sum<Two, Scale>;
    return Sum<Three, Scale>{
        {}, Three{{}, Two{{}, Scale{{}, o.s[0], a}, Scale{{}, o.s[1], b}}, Scale{{}, o.s[2], c}}, Scale{{}, o.s[3], d}};
  } else if constexpr (operation == Kind::axpy) {
    return Sum<V, Scale>{{}, a, Scale{{}, o.s[0], b}};
  } else if constexpr (operation == Kind::fscale) {
    return Product<S, V>{{}, f, a};
  } else if constexpr (operation == Kind::advect) {
    return Dot<V, Gradient<S>>{{}, a, {{}, f}};
  } else if constexpr (operation == Kind::flux) {
    return Divergence<Product<S, V>>{{}, {{}, f, a}};
  } else if constexpr (operation == Kind::laplacian) {
    return Divergence<Gradient<S>>{{}, {{}, f}};
  } else if constexpr (operation == Kind::curl_grad) {
    return Curl<Gradient<S>>{{}, {{}, f}};
  } else if constexpr (operation == Kind::area) {
    return Norm2<Cross<V, V>>{{}, {{}, a, b}};
  } else if constexpr (operation == Kind::lorentz) {
    return Cross<Curl<V>, V>{{}, {{}, a}, a};
  } else if constexpr (operation == Kind::helicity) {
    return Dot<Cross<Curl<V>, V>, V>{{}, {{}, {{}, a}, a}, b};
  } else {
    using Force = Cross<Curl<V>, V>;
    using Friction = Product<S, V>;
    using Forces = Difference<Scaled<Force>, Gradient<S>>;
    return Difference<Forces, Friction>{
        {},
        Forces{{}, Scaled<Force>{{}, o.s[0], Force{{}, Curl<V>{{}, a}, a}}, Gradient<S>{{}, f}},
        Friction{{}, g, b}};
  }
}

/// Calls act.template operator()<operation, layout>() with the two as template arguments.
template <class Act>
[[gnu::always_inline]] inline void with_operation(Operation operation, Layout layout, const Act& act) {
#define SPEEDWELL_OPERATION(name)                              \
  case Operation::name:                                        \
    if (layout == Layout::aos)                                 \
      act.template operator()<Operation::name, Layout::aos>(); \
    else                                                       \
      act.template operator()<Operation::name, Layout::soa>(); \
    break;
  switch (operation) {
    SPEEDWELL_OPERATION(copy)
    SPEEDWELL_OPERATION(add)
    SPEEDWELL_OPERATION(scale)
    SPEEDWELL_OPERATION(grad)
    SPEEDWELL_OPERATION(div)
    SPEEDWELL_OPERATION(curl)
    SPEEDWELL_OPERATION(dot)
    SPEEDWELL_OPERATION(cross)
    SPEEDWELL_OPERATION(norm2)
    SPEEDWELL_OPERATION(mul)
    SPEEDWELL_OPERATION(lincomb4)
    SPEEDWELL_OPERATION(axpy)
    SPEEDWELL_OPERATION(fscale)
    SPEEDWELL_OPERATION(advect)
    SPEEDWELL_OPERATION(flux)
    SPEEDWELL_OPERATION(laplacian)
    SPEEDWELL_OPERATION(curl_grad)
    SPEEDWELL_OPERATION(area)
    SPEEDWELL_OPERATION(lorentz)
    SPEEDWELL_OPERATION(helicity)
    SPEEDWELL_OPERATION(momentum)
  }
#undef SPEEDWELL_OPERATION
}

}  // namespace speedwell::vector_calculus

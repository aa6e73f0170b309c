// The nodes of expressions over fields, which expression.hpp builds. Derivatives are centred differences of second
// order, (f[i+1] - f[i-1]) / (2 dx), or one-sided ones at a boundary; the operand of a derivative is recomputed for
// each neighbour.
//
// Every node returns its value at a context's point, shifted: at(context, shift). A context loads the operands and
// defines how many points are computed together: a vector of the processor, a pack of a GPU's thread, or one point.
#pragma once

#include <concepts>
#include <type_traits>

#include "speedwell/apps/vector_calculus/grid.hpp"
#include "speedwell/core/host_device.hpp"

// Always inlined: an out-of-line copy could use a wider instruction set than this processor has. Not with sanitizers,
// whose instrumentation makes such code take minutes to compile; such programs run on the machine that built them.
#if defined(__has_feature)
#define SPEEDWELL_HAS_FEATURE(feature) __has_feature(feature)
#else
#define SPEEDWELL_HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || SPEEDWELL_HAS_FEATURE(address_sanitizer) || \
    SPEEDWELL_HAS_FEATURE(thread_sanitizer)
#define SPEEDWELL_POINT \
  SPEEDWELL_HD          \
  inline
#elif defined(__CUDACC__)
#define SPEEDWELL_POINT __host__ __device__ __forceinline__
#else
#define SPEEDWELL_POINT [[gnu::always_inline]] inline
#endif

namespace speedwell::vector_calculus {

/// The memory that holds a field: of the host, of a GPU, of the hosts of several ranks (distributed.hpp), or of their
/// GPUs (gpu_distributed.hpp).
enum class MemorySpace { host, device, distributed, distributed_device };

/// The three components of a vector, at one point or at several.
template <class V>
struct Triple {
  V x, y, z;
};
/// The sum of two vectors.
template <class V>
SPEEDWELL_POINT Triple<V> operator+(const Triple<V>& a, const Triple<V>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
/// The difference of two vectors.
template <class V>
SPEEDWELL_POINT Triple<V> operator-(const Triple<V>& a, const Triple<V>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
/// A scalar times a vector; the scalar may be one number or one for each point.
template <class S, class V>
SPEEDWELL_POINT Triple<V> operator*(const S& s, const Triple<V>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
/// The negative vector.
template <class V>
SPEEDWELL_POINT Triple<V> operator-(const Triple<V>& a) {
  return {-a.x, -a.y, -a.z};
}

/// An offset in points from a context's point.
struct Shift {
  int i = 0, j = 0, k = 0;
};
/// The shift s and `by` more points along an axis: 0 is x, 1 is y, 2 is z.
template <int axis>
SPEEDWELL_POINT Shift along(Shift s, int by) {
  return {axis == 0 ? s.i + by : s.i, axis == 1 ? s.j + by : s.j, axis == 2 ? s.k + by : s.k};
}

/// An operand of assign(). `components` is 1 or 3, `reach` the number of nested derivatives. flat<layout>: whether
/// every word of the result depends only on the same word of vector fields in that layout.
template <class E>
concept Expression = requires {
  typename E::IsExpression;
};

/// An expression, or a field.
template <class E>
concept Operand = Expression<E> || requires(const E& field) {
  { field.leaf() } -> Expression;
};

/// The expression of an operand: itself, or the leaf of a field.
template <Expression E>
SPEEDWELL_POINT E expression(const E& e) {
  return e;
}
/// A field becomes a pointer to its values: it must exist until the expression has been evaluated.
template <class Field>
requires(!Expression<Field> && Operand<Field>) auto expression(const Field& field) { return field.leaf(); }
/// The type that expression() returns.
template <class E>
using ExpressionOf = decltype(expression(std::declval<const E&>()));

/// Calls see(leaf, derivatives), where `derivatives` is the number of them that are taken of the leaf, or see(leaf) if
/// it has one argument.
template <class Visit, class Leaf>
void visit_leaf(const Visit& see, const Leaf& leaf, int derivatives) {
  if constexpr (std::is_invocable_v<const Visit&, const Leaf&, int>)
    see(leaf, derivatives);
  else
    see(leaf);
}

/// A scalar field as the operand of an expression: pointers to its values and its grid.
template <class T, MemorySpace where>
struct ScalarLeaf {
  using IsExpression = void;
  using Real = T;
  static constexpr int components = 1, reach = 0;
  static constexpr MemorySpace memory_space = where;
  template <Layout>
  static constexpr bool flat = false;  // its words are one for three of a vector's
  const T* data;                       // in that memory space
  const Grid* grid;                    // on the host; of the rank's tile for distributed fields

  /// The value at the context's point, shifted.
  template <class C>
  SPEEDWELL_POINT auto at(const C& c, Shift s) const {
    return c.load(data, s);
  }
  /// Shows the leaf to `see`, as visit_leaf() does.
  template <class Visit>
  void visit(const Visit& see, int derivatives = 0) const {
    visit_leaf(see, *this, derivatives);
  }
};

/// A vector field as the operand of an expression, likewise.
template <class T, Layout layout, MemorySpace where>
struct VectorLeaf {
  using IsExpression = void;
  using Real = T;
  static constexpr int components = 3, reach = 0;
  static constexpr MemorySpace memory_space = where;
  template <Layout of>
  static constexpr bool flat = of == layout;
  const T* data;     // in that memory space
  const Grid* grid;  // on the host; of the rank's tile for distributed fields

  /// The Triple at the context's point, shifted.
  template <class C>
  SPEEDWELL_POINT auto at(const C& c, Shift s) const {
    return c.template load3<layout>(data, s);
  }
  /// Shows the leaf to `see`, as visit_leaf() does.
  template <class Visit>
  void visit(const Visit& see, int derivatives = 0) const {
    visit_leaf(see, *this, derivatives);
  }
};

/// Base of nodes with one operand. `wordwise`: the node is evaluated word by word if its operand is.
template <class A, int components_, int derivatives = 0, bool wordwise = false>
struct Unary {
  using IsExpression = void;
  using Real = typename A::Real;
  static constexpr int components = components_, reach = A::reach + derivatives;
  static constexpr MemorySpace memory_space = A::memory_space;
  template <Layout layout>
  static constexpr bool flat = wordwise&& A::template flat<layout>;
};
/// Base of nodes with two operands.
template <class A, class B, int components_, bool wordwise = false>
struct Binary {
  using IsExpression = void;
  using Real = typename A::Real;
  static_assert(std::is_same_v<Real, typename B::Real>, "fields of two precisions in one expression");
  static_assert(A::memory_space == B::memory_space, "fields in different memory spaces in one expression");
  static constexpr int components = components_, reach = A::reach > B::reach ? A::reach : B::reach;
  static constexpr MemorySpace memory_space = A::memory_space;
  template <Layout layout>
  static constexpr bool flat = wordwise&& A::template flat<layout>&& B::template flat<layout>;
};

// The members of nodes that show their leaves to a function, each with the number of derivatives that are taken of it.
#define SPEEDWELL_UNARY_VISIT                               \
  template <class Visit>                                    \
  void visit(const Visit& see, int derivatives = 0) const { \
    a.visit(see, derivatives + this->reach - A::reach);     \
  }
#define SPEEDWELL_BINARY_VISIT                              \
  template <class Visit>                                    \
  void visit(const Visit& see, int derivatives = 0) const { \
    a.visit(see, derivatives);                              \
    b.visit(see, derivatives);                              \
  }

/// a + b, of two scalars or two vectors.
template <class A, class B>
struct Sum : Binary<A, B, A::components, true> {
  static_assert(A::components == B::components, "a scalar and a vector cannot be added");
  A a;
  B b;
  template <class C>
  SPEEDWELL_POINT auto at(const C& c, Shift s) const {
    return a.at(c, s) + b.at(c, s);
  }
  SPEEDWELL_BINARY_VISIT
};

/// a - b, of two scalars or two vectors.
template <class A, class B>
struct Difference : Binary<A, B, A::components, true> {
  static_assert(A::components == B::components, "a scalar and a vector cannot be subtracted");
  A a;
  B b;
  template <class C>
  SPEEDWELL_POINT auto at(const C& c, Shift s) const {
    return a.at(c, s) - b.at(c, s);
  }
  SPEEDWELL_BINARY_VISIT
};

/// A number times a field.
template <class A>
struct Scaled : Unary<A, A::components, 0, true> {
  typename A::Real factor;
  A a;
  template <class C>
  SPEEDWELL_POINT auto at(const C& c, Shift s) const {
    return factor * a.at(c, s);
  }
  SPEEDWELL_UNARY_VISIT
};

/// -a, of a scalar or a vector.
template <class A>
struct Negative : Unary<A, A::components, 0, true> {
  A a;
  template <class C>
  SPEEDWELL_POINT auto at(const C& c, Shift s) const {
    return -a.at(c, s);
  }
  SPEEDWELL_UNARY_VISIT
};

/// A scalar field times a field.
template <class A, class B>
struct Product : Binary<A, B, B::components> {
  static_assert(A::components == 1, "the product of two vectors is dot() or cross()");
  A a;
  B b;
  template <class C>
  SPEEDWELL_POINT auto at(const C& c, Shift s) const {
    return a.at(c, s) * b.at(c, s);
  }
  SPEEDWELL_BINARY_VISIT
};

/// a . b, the scalar product of two vectors, added in the order x, y, z.
template <class A, class B>
struct Dot : Binary<A, B, 1> {
  static_assert(A::components == 3 && B::components == 3, "dot() is of two vectors");
  A a;
  B b;
  template <class C>
  SPEEDWELL_POINT auto at(const C& c, Shift s) const {
    const auto u = a.at(c, s), v = b.at(c, s);
    return u.x * v.x + u.y * v.y + u.z * v.z;
  }
  SPEEDWELL_BINARY_VISIT
};

/// a x b, the vector product of two vectors.
template <class A, class B>
struct Cross : Binary<A, B, 3> {
  static_assert(A::components == 3 && B::components == 3, "cross() is of two vectors");
  A a;
  B b;
  template <class C>
  SPEEDWELL_POINT auto at(const C& c, Shift s) const {
    const auto u = a.at(c, s), v = b.at(c, s);
    using V = std::remove_cvref_t<decltype(u.x)>;
    return Triple<V>{u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
  }
  SPEEDWELL_BINARY_VISIT
};

/// a . a, the square of a vector's length.
template <class A>
struct Norm2 : Unary<A, 1> {
  static_assert(A::components == 3, "norm2() is of a vector");
  A a;
  template <class C>
  SPEEDWELL_POINT auto at(const C& c, Shift s) const {
    const auto u = a.at(c, s);
    return u.x * u.x + u.y * u.y + u.z * u.z;
  }
  SPEEDWELL_UNARY_VISIT
};

/// d/dx, d/dy or d/dz of `e`, for a vector of each component, with an error of second order in the spacing: the centred
/// difference (e[+1] - e[-1]) / (2 h) and, in a context that is `sided`, at the first point of the axis
/// (-3 e[0] + 4 e[+1] - e[+2]) / (2 h) and at the last one its mirror image. per_spacing() of the context is 1 / (2 h).
/// The operand is evaluated at each of these points.
template <int axis, class E, class C>
SPEEDWELL_POINT auto derivative(const E& e, const C& c, Shift s) {
  if constexpr (C::sided) {
    const int side = c.template side<axis>(s);
    using Real = typename E::Real;
    if (side < 0)
      return c.template per_spacing<axis>() *
             (Real(4) * e.at(c, along<axis>(s, 1)) - Real(3) * e.at(c, s) - e.at(c, along<axis>(s, 2)));
    if (side > 0)
      return c.template per_spacing<axis>() *
             (Real(3) * e.at(c, s) - Real(4) * e.at(c, along<axis>(s, -1)) + e.at(c, along<axis>(s, -2)));
  }
  return c.template per_spacing<axis>() * (e.at(c, along<axis>(s, 1)) - e.at(c, along<axis>(s, -1)));
}

/// grad a, the vector of the three derivatives of a scalar.
template <class A>
struct Gradient : Unary<A, 3, 1> {
  static_assert(A::components == 1, "grad() is of a scalar");
  A a;
  template <class C>
  SPEEDWELL_POINT auto at(const C& c, Shift s) const {
    const auto x = derivative<0>(a, c, s), y = derivative<1>(a, c, s), z = derivative<2>(a, c, s);
    return Triple<std::remove_cvref_t<decltype(x)>>{x, y, z};
  }
  SPEEDWELL_UNARY_VISIT
};

/// div a, the scalar d a.x / dx + d a.y / dy + d a.z / dz.
template <class A>
struct Divergence : Unary<A, 1, 1> {
  static_assert(A::components == 3, "div() is of a vector");
  A a;
  template <class C>
  SPEEDWELL_POINT auto at(const C& c, Shift s) const {
    return derivative<0>(a, c, s).x + derivative<1>(a, c, s).y + derivative<2>(a, c, s).z;
  }
  SPEEDWELL_UNARY_VISIT
};

/// curl a, the vector (d a.z / dy - d a.y / dz, d a.x / dz - d a.z / dx, d a.y / dx - d a.x / dy).
template <class A>
struct Curl : Unary<A, 3, 1> {
  static_assert(A::components == 3, "curl() is of a vector");
  A a;
  template <class C>
  SPEEDWELL_POINT auto at(const C& c, Shift s) const {
    const auto x = derivative<0>(a, c, s), y = derivative<1>(a, c, s), z = derivative<2>(a, c, s);
    using V = std::remove_cvref_t<decltype(x.x)>;
    return Triple<V>{y.z - z.y, z.x - x.z, x.y - y.x};
  }
  SPEEDWELL_UNARY_VISIT
};

#undef SPEEDWELL_UNARY_VISIT
#undef SPEEDWELL_BINARY_VISIT

}  // namespace speedwell::vector_calculus

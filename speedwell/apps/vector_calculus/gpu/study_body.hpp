// The operations as in the study's loop bodies: each component by itself, every operand loaded where it occurs. For
// CUDA sources only.
#pragma once

#include "speedwell/apps/vector_calculus/frame.hpp"
#include "speedwell/apps/vector_calculus/gpu/ladder.hpp"

namespace speedwell::vector_calculus::device {

template <class T>
struct StudyFields {
  const T *f, *g, *a, *b, *c, *d, *numbers;
  Frame<T> frame;
  bool sided;
};

template <class T>
StudyFields<T> study_fields(const StudyOperands<T>& o) {
  const Operands<T>& of = o.fields;
  return {
      of.f, of.g, of.a, of.b, of.c, of.d, o.numbers, frame_of<T>(*of.grid), of.grid->boundary == Boundary::one_sided};
}

/// Loads from memory: each time again, or as often as the compiler chooses.
template <bool anew, class T>
__device__ T read(const T* p) {
  if constexpr (anew)
    return *reinterpret_cast<const volatile T*>(p);
  else
    return *p;
}

/// A point's operands in memory.
template <Layout layout, bool anew, class T>
struct InMemory {
  const StudyFields<T>& of;
  int i, j, k;

  __device__ std::int64_t point(int x, int y, int z) const {
    return (static_cast<std::int64_t>(z) * of.frame.ny + y) * of.frame.nx + x;
  }
  __device__ T scalar(const T* q, int x, int y, int z) const { return read<anew>(q + point(x, y, z)); }
  __device__ T component(const T* q, int c, int x, int y, int z) const {
    const std::int64_t p = point(x, y, z);
    return read<anew>(layout == Layout::aos ? q + 3 * p + c : q + c * of.frame.points + p);
  }
  __device__ T f() const { return scalar(of.f, i, j, k); }
  __device__ T g() const { return scalar(of.g, i, j, k); }
  __device__ T a(int c) const { return component(of.a, c, i, j, k); }
  __device__ T b(int c) const { return component(of.b, c, i, j, k); }
  __device__ T c(int n) const { return component(of.c, n, i, j, k); }
  __device__ T d(int n) const { return component(of.d, n, i, j, k); }
  __device__ T number(int n) const { return read<anew>(of.numbers + n); }

  /// The derivative along an axis, of f or of a component of a.
  template <class Value>
  __device__ T slope(int axis, const Value& value) const {
    const int n = static_cast<int>(axis == 0 ? of.frame.nx : axis == 1 ? of.frame.ny : of.frame.nz);
    const int at = axis == 0 ? i : axis == 1 ? j : k;
    const auto moved = [&](int to) {
      return axis == 0 ? value(to, j, k) : axis == 1 ? value(i, to, k) : value(i, j, to);
    };
    const T per_spacing = of.frame.per_spacing[axis];
    if (of.sided && at == 0) return per_spacing * (T(4) * moved(1) - T(3) * moved(0) - moved(2));
    if (of.sided && at == n - 1) return per_spacing * (T(3) * moved(n - 1) - T(4) * moved(n - 2) + moved(n - 3));
    return per_spacing * (moved(at == n - 1 ? 0 : at + 1) - moved(at == 0 ? n - 1 : at - 1));
  }
  __device__ T slope_of_f(int axis) const {
    return slope(axis, [&](int x, int y, int z) { return scalar(of.f, x, y, z); });
  }
  __device__ T slope_of_a(int axis, int c) const {
    return slope(axis, [&](int x, int y, int z) { return component(of.a, c, x, y, z); });
  }
};

/// Component n of an operation's result, from the operands of a point.
template <Operation o, class Point>
__device__ auto body(const Point& q, int n) {
  using enum Operation;
  const int next = n == 2 ? 0 : n + 1, last = n == 0 ? 2 : n - 1;
  if constexpr (o == copy)
    return q.a(n);
  else if constexpr (o == add)
    return q.a(n) + q.b(n);
  else if constexpr (o == scale)
    return q.number(0) * q.a(n);
  else if constexpr (o == grad)
    return q.slope_of_f(n);
  else if constexpr (o == div)
    return q.slope_of_a(0, 0) + q.slope_of_a(1, 1) + q.slope_of_a(2, 2);
  else if constexpr (o == curl)
    return q.slope_of_a(next, last) - q.slope_of_a(last, next);
  else if constexpr (o == dot)
    return q.a(0) * q.b(0) + q.a(1) * q.b(1) + q.a(2) * q.b(2);
  else if constexpr (o == cross)
    return q.a(next) * q.b(last) - q.a(last) * q.b(next);
  else if constexpr (o == norm2)
    return q.a(0) * q.a(0) + q.a(1) * q.a(1) + q.a(2) * q.a(2);
  else if constexpr (o == mul)
    return q.f() * q.g();
  else if constexpr (o == lincomb4)
    return q.number(0) * q.a(n) + q.number(1) * q.b(n) + q.number(2) * q.c(n) + q.number(3) * q.d(n);
  else if constexpr (o == axpy)
    return q.a(n) + q.number(0) * q.b(n);
  else if constexpr (o == fscale)
    return q.f() * q.a(n);
  else
    return q.a(0) * q.slope_of_f(0) + q.a(1) * q.slope_of_f(1) + q.a(2) * q.slope_of_f(2);
}

/// Computes and stores the result of a point whose operands are in `from`.
template <Operation o, Layout layout, class Point, class T>
__device__ void store_body(const Point& from, T* out, std::int64_t points, std::int64_t p) {
  constexpr int components = operations[static_cast<int>(o)].components;
#pragma unroll
  for (int n = 0; n < components; ++n)
    out[components == 1 ? p : layout == Layout::aos ? 3 * p + n : n * points + p] = body<o>(from, n);
}

}  // namespace speedwell::vector_calculus::device

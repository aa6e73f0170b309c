// Expressions along a row of points in host memory, in vectors as wide as the registers of the instruction set that a
// file is compiled for. Internal linkage, as in core/simd.hpp.
#pragma once

#include <cstdint>
#include <utility>

#include "speedwell/apps/vector_calculus/expression.hpp"
#include "speedwell/apps/vector_calculus/frame.hpp"
#include "speedwell/core/simd/simd.hpp"
#include "speedwell/numerics/streaming.hpp"

namespace speedwell::vector_calculus::host {
namespace {

using core::simd::Vector;

namespace detail {
template <class T>
constexpr int width = core::simd::width<T>;

// Component c of W points whose 3 W words are in v.
template <int c, class V, int... Lane>
SPEEDWELL_POINT V component(const V (&v)[3], std::integer_sequence<int, Lane...>) {
  constexpr int w = sizeof...(Lane);
  const V most = __builtin_shufflevector(v[0], v[1], (3 * Lane + c < 2 * w ? 3 * Lane + c : 0)...);
  return __builtin_shufflevector(most, v[2], (3 * Lane + c < 2 * w ? Lane : 3 * Lane + c - w)...);
}
// The r-th vector of the words of W points.
template <int r, class V, int... Lane>
SPEEDWELL_POINT V words(const Triple<V>& v, std::integer_sequence<int, Lane...>) {
  constexpr int w = sizeof...(Lane);
  const V most = __builtin_shufflevector(v.x, v.y,
                                         ((r * w + Lane) % 3 == 0   ? (r * w + Lane) / 3
                                          : (r * w + Lane) % 3 == 1 ? w + (r * w + Lane) / 3
                                                                    : 0)...);
  return __builtin_shufflevector(most, v.z, ((r * w + Lane) % 3 < 2 ? Lane : w + (r * w + Lane) / 3)...);
}
template <class T>
using Lanes = std::make_integer_sequence<int, width<T>>;
}  // namespace detail

/// One point (many = false), or a vector of points whose neighbours along x are all adjacent in memory.
template <class T, bool sided_, bool many>
struct RowPoint {
  static constexpr bool sided = sided_;
  using V = std::conditional_t<many, Vector<T>, T>;
  const HostFrame<T>& f;
  std::int64_t i, j, k;

  SPEEDWELL_POINT static std::int64_t wrapped(std::int64_t at, std::int64_t n) {
    return at < 0 ? at + n : at >= n ? at - n : at;
  }
  SPEEDWELL_POINT std::int64_t offset(Shift s) const {
    const std::int64_t x = many || sided ? i + s.i : wrapped(i + s.i, f.nx),
                       y = sided ? j + s.j : wrapped(j + s.j, f.ny), z = sided ? k + s.k : wrapped(k + s.k, f.nz);
    return (z * f.ny + y) * f.nx + x;
  }
  SPEEDWELL_POINT static V get(const T* p) {
    if constexpr (many)
      return core::simd::load(p);
    else
      return *p;
  }
  SPEEDWELL_POINT V load(const T* data, Shift s) const { return get(data + offset(s)); }
  template <Layout layout>
  SPEEDWELL_POINT Triple<V> load3(const T* data, Shift s) const {
    const std::int64_t at = offset(s);
    if constexpr (layout == Layout::soa) {
      return {get(data + at), get(data + f.points + at), get(data + 2 * f.points + at)};
    } else if constexpr (many) {
      const T* const p = data + 3 * at;
      const V v[3] = {get(p), get(p + detail::width<T>), get(p + 2 * detail::width<T>)};
      using Lanes = detail::Lanes<T>;
      return {detail::component<0>(v, Lanes{}), detail::component<1>(v, Lanes{}), detail::component<2>(v, Lanes{})};
    } else {
      return {data[3 * at], data[3 * at + 1], data[3 * at + 2]};
    }
  }
  template <int axis>
  SPEEDWELL_POINT T per_spacing() const {
    return f.per_spacing[axis];
  }
  template <int axis>
  SPEEDWELL_POINT int side(Shift s) const {
    if (axis == 0 && many) return 0;
    const std::int64_t at = axis == 0 ? i + s.i : axis == 1 ? j + s.j : k + s.k;
    return at == f.first[axis] ? -1 : at == f.last[axis] ? 1 : 0;
  }
};

/// A word of the result, or a vector of words, that depends only on the same words of the operands.
template <class T, bool many>
struct FlatPoint {
  static constexpr bool sided = false;
  using V = std::conditional_t<many, Vector<T>, T>;
  std::int64_t i;
  template <Layout>
  SPEEDWELL_POINT V load3(const T* data, Shift) const {
    return RowPoint<T, false, many>::get(data + i);
  }
};

template <class T>
SPEEDWELL_POINT bool aligned(const T* p) {
  return reinterpret_cast<std::uintptr_t>(p) % core::simd::vector_bytes == 0;
}
template <class T>
SPEEDWELL_POINT void put(T* p, Vector<T> v, bool streaming) {
  if (streaming)
    numerics::streaming::store(p, v);
  else
    core::simd::store(p, v);
}

/// A result in host memory: `components` and `layout` of a field at `data`.
template <class T, int components, Layout layout>
struct Result {
  T* data;

  SPEEDWELL_POINT bool streams_at(std::int64_t at, std::int64_t points) const {
    if constexpr (components == 1)
      return aligned(data + at);
    else if constexpr (layout == Layout::aos)
      return aligned(data + 3 * at);
    else
      return aligned(data + at) && points * static_cast<std::int64_t>(sizeof(T)) % core::simd::vector_bytes == 0;
  }
  SPEEDWELL_POINT void set(std::int64_t at, std::int64_t, T v) const { data[at] = v; }
  SPEEDWELL_POINT void set(std::int64_t at, std::int64_t points, const Triple<T>& v) const {
    const std::int64_t next = layout == Layout::aos ? 1 : points, first = layout == Layout::aos ? 3 * at : at;
    data[first] = v.x;
    data[first + next] = v.y;
    data[first + 2 * next] = v.z;
  }
  SPEEDWELL_POINT void set_many(std::int64_t at, std::int64_t, Vector<T> v, bool streaming) const {
    put(data + at, v, streaming);
  }
  SPEEDWELL_POINT void set_many(std::int64_t at, std::int64_t points, const Triple<Vector<T>>& v,
                                bool streaming) const {
    using Lanes = detail::Lanes<T>;
    if constexpr (layout == Layout::aos) {
      T* const p = data + 3 * at;
      put(p, detail::words<0>(v, Lanes{}), streaming);
      put(p + detail::width<T>, detail::words<1>(v, Lanes{}), streaming);
      put(p + 2 * detail::width<T>, detail::words<2>(v, Lanes{}), streaming);
    } else {
      put(data + at, v.x, streaming);
      put(data + points + at, v.y, streaming);
      put(data + 2 * points + at, v.z, streaming);
    }
  }
};

/// The words of a scalar result from word `first` on.
template <class T>
struct Part {
  T* data;
  std::int64_t first;
  SPEEDWELL_POINT bool streams_at(std::int64_t, std::int64_t) const { return false; }
  SPEEDWELL_POINT void set(std::int64_t at, std::int64_t, T v) const { data[at - first] = v; }
  SPEEDWELL_POINT void set_many(std::int64_t at, std::int64_t, Vector<T> v, bool) const {
    core::simd::store(data + (at - first), v);
  }
};

/// Points [begin, end) of row (j, k).
template <bool sided, class E, class T, class Out>
void evaluate_row(const E& e, const HostFrame<T>& frame, const Out& out, std::int64_t begin, std::int64_t end,
                  std::int64_t j, std::int64_t k, bool streaming) {
  const HostFrame<T> f = frame;
  const std::int64_t row = (k * f.ny + j) * f.nx, after = f.last[0] + 1 - E::reach, inner = after < end ? after : end;
  constexpr int w = detail::width<T>;
  const auto one = [&](std::int64_t i) {
    out.set(row + i, f.points, e.at(RowPoint<T, sided, false>{f, i, j, k}, Shift{}));
  };
  std::int64_t i = begin;
  for (; i < end && i < f.first[0] + E::reach; ++i) one(i);
  if (streaming)
    for (int lane = 0; lane < w && i < inner && !out.streams_at(row + i, f.points); ++lane, ++i) one(i);
  const bool past = streaming && i < inner && out.streams_at(row + i, f.points);
  for (; i + w <= inner; i += w)
    out.set_many(row + i, f.points, e.at(RowPoint<T, sided, true>{f, i, j, k}, Shift{}), past);
  for (; i < end; ++i) one(i);
  if (past) numerics::streaming::fence();
}

/// Words [begin, end) of a result whose words depend only on the same words of the operands.
template <class E, class T>
void evaluate_words(const E& e, T* out, std::int64_t begin, std::int64_t end, bool streaming) {
  constexpr int w = detail::width<T>;
  std::int64_t i = begin;
  if (streaming)
    for (int lane = 0; lane < w && i < end && !aligned(out + i); ++lane, ++i)
      out[i] = e.at(FlatPoint<T, false>{i}, Shift{});
  const bool past = streaming && i < end && aligned(out + i);
  for (; i + w <= end; i += w) put(out + i, e.at(FlatPoint<T, true>{i}, Shift{}), past);
  for (; i < end; ++i) out[i] = e.at(FlatPoint<T, false>{i}, Shift{});
  if (past) numerics::streaming::fence();
}

}  // namespace
}  // namespace speedwell::vector_calculus::host

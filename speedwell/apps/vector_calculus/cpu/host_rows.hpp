// Expressions along a row of points in host memory, in vectors as wide as the registers of the instruction set that a
// file is compiled for. Internal linkage, as in core/simd.hpp.
#pragma once

#include <cstdint>
#include <type_traits>
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

/// A value, or a vector of adjacent ones.
template <class V, class T>
SPEEDWELL_POINT V get(const T* p) {
  if constexpr (std::is_same_v<V, T>)
    return *p;
  else
    return core::simd::load(p);
}
/// The vector field at a point, whose index is `at`, or at adjacent points from there on.
template <class V, Layout layout, class T>
SPEEDWELL_POINT Triple<V> get3(const T* data, std::int64_t at, std::int64_t points) {
  if constexpr (layout == Layout::soa) {
    return {get<V>(data + at), get<V>(data + points + at), get<V>(data + 2 * points + at)};
  } else if constexpr (std::is_same_v<V, T>) {
    return {data[3 * at], data[3 * at + 1], data[3 * at + 2]};
  } else {
    const T* const p = data + 3 * at;
    const V v[3] = {get<V>(p), get<V>(p + detail::width<T>), get<V>(p + 2 * detail::width<T>)};
    using Lanes = detail::Lanes<T>;
    return {detail::component<0>(v, Lanes{}), detail::component<1>(v, Lanes{}), detail::component<2>(v, Lanes{})};
  }
}

/// One point.
template <class T, bool sided_>
struct RowPoint {
  static constexpr bool sided = sided_;
  using V = T;
  const HostFrame<T>& f;
  std::int64_t i, j, k;

  SPEEDWELL_POINT static std::int64_t wrapped(std::int64_t at, std::int64_t n) {
    return at < 0 ? at + n : at >= n ? at - n : at;
  }
  SPEEDWELL_POINT std::int64_t offset(Shift s) const {
    const std::int64_t x = sided ? i + s.i : wrapped(i + s.i, f.nx), y = sided ? j + s.j : wrapped(j + s.j, f.ny),
                       z = sided ? k + s.k : wrapped(k + s.k, f.nz);
    return (z * f.ny + y) * f.nx + x;
  }
  SPEEDWELL_POINT T load(const T* data, Shift s) const { return data[offset(s)]; }
  template <Layout layout>
  SPEEDWELL_POINT Triple<T> load3(const T* data, Shift s) const {
    return get3<T, layout>(data, offset(s), f.points);
  }
  template <int axis>
  SPEEDWELL_POINT T per_spacing() const {
    return f.per_spacing[axis];
  }
  template <int axis>
  SPEEDWELL_POINT int side(Shift s) const {
    const std::int64_t at = axis == 0 ? i + s.i : axis == 1 ? j + s.j : k + s.k;
    return at == f.first[axis] ? -1 : at == f.last[axis] ? 1 : 0;
  }
};

/// The rows around row (j, k), up to `most` rows and planes away: found once for all vectors of the row.
template <class T, bool sided, int most>
struct RowsAround {
  std::int64_t offsets[2 * most + 1][2 * most + 1];  // of their first points, by the shift along z and y
  int sides[2][2 * most + 1];                        // what RowPoint::side() says along y and z, if `sided`

  SPEEDWELL_POINT RowsAround(const HostFrame<T>& f, std::int64_t j, std::int64_t k) {
    for (int dz = -most; dz <= most; ++dz)
      for (int dy = -most; dy <= most; ++dy)
        offsets[dz + most][dy + most] = RowPoint<T, sided>{f, 0, j, k}.offset({0, dy, dz});
    if constexpr (sided)
      for (int by = -most; by <= most; ++by) {
        sides[0][by + most] = RowPoint<T, sided>{f, 0, j, k}.template side<1>({0, by, 0});
        sides[1][by + most] = RowPoint<T, sided>{f, 0, j, k}.template side<2>({0, 0, by});
      }
  }
};

/// A vector of points of a row. Unless it is at an end of the row, all neighbours along x are adjacent in memory;
/// there, those past the end are at the other one.
template <class T, bool sided_, int most, bool at_end>
struct RowVector {
  static constexpr bool sided = sided_;
  static_assert(!(sided && at_end), "one-sided differences at the ends of a row are taken point by point");
  using V = Vector<T>;
  const HostFrame<T>& f;
  const RowsAround<T, sided, most>& rows;
  std::int64_t i;

  SPEEDWELL_POINT std::int64_t row(Shift s) const { return rows.offsets[s.k + most][s.j + most]; }
  SPEEDWELL_POINT V load(const T* data, Shift s) const {
    if (!at_end || s.i == 0) return get<V>(data + row(s) + i + s.i);
    return each_lane(s, [&](std::int64_t at) { return data[at]; });
  }
  template <Layout layout>
  SPEEDWELL_POINT Triple<V> load3(const T* data, Shift s) const {
    if (!at_end || s.i == 0) return get3<V, layout>(data, row(s) + i + s.i, f.points);
    constexpr bool aos = layout == Layout::aos;
    const std::int64_t next = aos ? 1 : f.points;
    const auto component = [&](int c) {
      return each_lane(s, [&](std::int64_t at) { return data[(aos ? 3 * at : at) + c * next]; });
    };
    return {component(0), component(1), component(2)};
  }
  template <int axis>
  SPEEDWELL_POINT T per_spacing() const {
    return f.per_spacing[axis];
  }
  template <int axis>
  SPEEDWELL_POINT int side(Shift s) const {
    return axis == 0 ? 0 : axis == 1 ? rows.sides[0][s.j + most] : rows.sides[1][s.k + most];
  }

 private:
  template <class Value>
  SPEEDWELL_POINT V each_lane(Shift s, const Value& value_at) const {
    V v;
    for (int lane = 0; lane < detail::width<T>; ++lane)
      v[lane] = value_at(row(s) + RowPoint<T, sided>::wrapped(i + lane + s.i, f.nx));
    return v;
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
    return get<V>(data + i);
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

/// Stores the value of one lane.
template <class T, class Out>
SPEEDWELL_POINT void set_lane(const Out& out, std::int64_t at, std::int64_t points, const Vector<T>& v, int lane) {
  out.set(at, points, v[lane]);
}
template <class T, class Out>
SPEEDWELL_POINT void set_lane(const Out& out, std::int64_t at, std::int64_t points, const Triple<Vector<T>>& v,
                              int lane) {
  out.set(at, points, Triple<T>{v.x[lane], v.y[lane], v.z[lane]});
}

/// Points [begin, end) of row (j, k). Other threads may read what it stores after numerics::streaming::fence(), which
/// waits for memory, and so comes behind many rows.
template <bool sided, class E, class T, class Out>
void evaluate_row(const E& e, const HostFrame<T>& frame, const Out& out, std::int64_t begin, std::int64_t end,
                  std::int64_t j, std::int64_t k, bool streaming) {
  const HostFrame<T> f = frame;
  const std::int64_t row = (k * f.ny + j) * f.nx;
  // Points whose neighbours along x are all adjacent in memory.
  const std::int64_t after_first = f.first[0] + E::reach, after_last = f.last[0] + 1 - E::reach;
  const std::int64_t inner_begin = begin > after_first ? begin : after_first,
                     inner_end = end < after_last ? end : after_last;
  constexpr int w = detail::width<T>;
  // A one-sided difference reads the second point next to its own.
  constexpr int most = sided ? 2 * E::reach : E::reach;
  const RowsAround<T, sided, most> rows(f, j, k);
  const auto inside = [&](std::int64_t i) { return e.at(RowVector<T, sided, most, false>{f, rows, i}, Shift{}); };
  // With one-sided differences the points at the ends are taken one by one.
  const std::int64_t vectors_begin = sided ? inner_begin : begin, vectors_end = sided ? inner_end : end;
  const auto anywhere = [&](std::int64_t i) {
    if constexpr (sided)
      return inside(i);
    else
      return e.at(RowVector<T, sided, most, true>{f, rows, i}, Shift{});
  };
  std::int64_t i = begin;
  const auto points_until = [&](std::int64_t to) {
    for (; i < to; ++i) out.set(row + i, f.points, e.at(RowPoint<T, sided>{f, i, j, k}, Shift{}));
  };
  // Fewer points than a vector has, as lanes of the one that begins with `from` where that is possible.
  const auto lanes_until = [&](std::int64_t from, std::int64_t to) {
    if (i >= to) return;
    if (from < vectors_begin || from + w > vectors_end) return points_until(to);
    const auto values = anywhere(from);
    for (; i < to; ++i) set_lane<T>(out, row + i, f.points, values, static_cast<int>(i - from));
  };
  points_until(vectors_begin < end ? vectors_begin : end);
  if (streaming) {
    std::int64_t first = i;
    while (first < vectors_end && first - i < w && !out.streams_at(row + first, f.points)) ++first;
    lanes_until(i, first);
  }
  const bool past = streaming && i < vectors_end && out.streams_at(row + i, f.points);
  for (; i < inner_begin && i + w <= vectors_end; i += w) out.set_many(row + i, f.points, anywhere(i), past);
  for (; i + w <= inner_end; i += w) out.set_many(row + i, f.points, inside(i), past);
  for (; i + w <= vectors_end; i += w) out.set_many(row + i, f.points, anywhere(i), past);
  lanes_until(vectors_end - w, vectors_end);
  points_until(end);
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

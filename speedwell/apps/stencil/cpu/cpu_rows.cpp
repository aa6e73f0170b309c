// A row of cells in SIMD vectors, which begin at its first cell, so that they are aligned where rows are. Of the first
// and the last vector a neighbour beyond the end of the row is put in place; what is left is computed by the same
// formula in scalar code.
#include "speedwell/apps/stencil/cpu/cpu_rows.hpp"

#include <utility>

#include "speedwell/core/simd/simd.hpp"
#include "speedwell/numerics/streaming.hpp"

namespace speedwell::stencil::SPEEDWELL_ISA {
namespace {

using core::simd::Vector;
using core::simd::width;

// A function that takes vectors and is not inlined leaves the upper halves of registers in use. GCC 12 assumes that
// they are zero after the call, so that the kernel returns with them, and SSE instructions of its caller wait for them.
#define SPEEDWELL_INLINE __attribute__((always_inline))

// Scalar and vector access to fields.
template <class T>
struct Scalar {
  using Type = T;
  static T load(const T* p) { return *p; }
  static T all(T value) { return value; }
};
template <class T>
struct Simd {
  using Type = Vector<T>;
  static Type load(const T* p) { return core::simd::load(p); }
  static Type all(T value) { return core::simd::broadcast(value); }
};

template <Form form, class L, class T, class V = typename L::Type>
SPEEDWELL_INLINE inline V evaluate(const Row<T>& r, std::int64_t i, V west, V east, V face_west) {
  const V centre = L::load(r.centre + i), south = L::load(r.south + i), north = L::load(r.north + i),
          below = L::load(r.below + i), above = L::load(r.above + i);
  if constexpr (form == Form::cell_metric) {
    const V links = (west + east) * L::load(r.metric_x + i) + (south + north) * L::all(r.metric_y) +
                    (below + above) * L::all(r.metric_z);
    return L::load(r.cell[0] + i) * links + centre * L::load(r.cell[1] + i);
  } else if constexpr (form == Form::constant) {
    return L::all(r.weight[0]) * (west + east) + L::all(r.weight[1]) * (south + north) +
           L::all(r.weight[2]) * (below + above) + L::all(r.weight[3]) * centre;
  } else if constexpr (form == Form::face_metric) {
    const V dx = L::load(r.metric_x + i);
    const V along_x = L::load(r.inverse_x + i) * (centre - west) + L::load(r.inverse_x + i + 1) * (centre - east);
    const V along_y = L::all(r.inverse[0]) * (centre - south) + L::all(r.inverse[1]) * (centre - north);
    const V along_z = L::all(r.inverse[2]) * (centre - below) + L::all(r.inverse[3]) * (centre - above);
    return L::all(r.metric_y * r.metric_z) * along_x + dx * L::all(r.metric_z) * along_y +
           dx * L::all(r.metric_y) * along_z + L::all(r.sigma) * centre;
  } else if constexpr (form == Form::face_coefficient) {
    return face_west * (centre - west) + L::load(r.cell[0] + i) * (centre - east) +
           L::load(r.face_south + i) * (centre - south) + L::load(r.cell[1] + i) * (centre - north) +
           L::load(r.face_below + i) * (centre - below) + L::load(r.cell[2] + i) * (centre - above) +
           L::all(r.sigma) * centre;
  } else {
    return L::load(r.cell[0] + i) * centre + L::load(r.cell[1] + i) * west + L::load(r.cell[2] + i) * east +
           L::load(r.cell[3] + i) * south + L::load(r.cell[4] + i) * north + L::load(r.cell[5] + i) * below +
           L::load(r.cell[6] + i) * above;
  }
}

template <Form form, class T>
SPEEDWELL_INLINE inline T scalar_cell(const Row<T>& r, std::int64_t i) {
  const T west = i > 0 ? r.centre[i - 1] : r.west_end, east = i + 1 < r.n ? r.centre[i + 1] : r.east_end;
  T face_west = 0;
  if constexpr (form == Form::face_coefficient) face_west = i > 0 ? r.cell[0][i - 1] : r.face_west;
  return evaluate<form, Scalar<T>>(r, i, west, east, face_west);
}

template <Form form, class T>
SPEEDWELL_INLINE inline Vector<T> vector_cell(const Row<T>& r, std::int64_t i) {
  Vector<T> face_west{};
  if constexpr (form == Form::face_coefficient) face_west = core::simd::load(r.cell[0] + i - 1);
  return evaluate<form, Simd<T>>(r, i, core::simd::load(r.centre + i - 1), core::simd::load(r.centre + i + 1),
                                 face_west);
}

// The first vector of a row that has more cells.
template <Form form, class T>
SPEEDWELL_INLINE inline Vector<T> first_vector(const Row<T>& r) {
  Vector<T> face_west{};
  if constexpr (form == Form::face_coefficient)
    face_west = core::simd::shifted_in(core::simd::load(r.cell[0]), r.face_west);
  return evaluate<form, Simd<T>>(r, 0, core::simd::shifted_in(core::simd::load(r.centre), r.west_end),
                                 core::simd::load(r.centre + 1), face_west);
}
// Lanes 1, 2 … of v, and `last` behind them. Lanes that were stored one by one and loaded together would wait for all
// stores before them.
template <class T, int... Lane>
SPEEDWELL_INLINE inline Vector<T> shifted_down(Vector<T> v, T last, std::integer_sequence<int, Lane...>) {
  return __builtin_shufflevector(v, core::simd::broadcast(last), (Lane + 1)...);
}
// The vector of a row's last cells, from i on; it is not the first.
template <Form form, class T>
SPEEDWELL_INLINE inline Vector<T> last_vector(const Row<T>& r, std::int64_t i) {
  Vector<T> face_west{};
  if constexpr (form == Form::face_coefficient) face_west = core::simd::load(r.cell[0] + i - 1);
  return evaluate<form, Simd<T>>(
      r, i, core::simd::load(r.centre + i - 1),
      shifted_down(core::simd::load(r.centre + i), r.east_end, std::make_integer_sequence<int, width<T>>{}), face_west);
}

// Calls each(i, values) for the cells of a row from i on, with a vector or a scalar of their values.
template <Form form, class T, class Each>
SPEEDWELL_INLINE inline void each_value(const Row<T>& r, const Each& each) {
  std::int64_t i = 0;
  if (width<T> < r.n) {
    each(i, first_vector<form>(r));
    for (i = width<T>; i + width<T> < r.n; i += width<T>) each(i, vector_cell<form>(r, i));
    if (i + width<T> == r.n) {
      each(i, last_vector<form>(r, i));
      i = r.n;
    }
  }
  for (; i < r.n; ++i) each(i, scalar_cell<form>(r, i));
}

// Access to one cell, or to a vector of them, by the type of the values.
template <class T>
inline T values_at(const T* p, T) {
  return *p;
}
template <class T>
inline Vector<T> values_at(const T* p, Vector<T>) {
  return core::simd::load(p);
}
template <class T>
inline void put(T* p, T value) {
  *p = value;
}
template <class T>
inline void put(T* p, Vector<T> values) {
  core::simd::store(p, values);
}

// Prefetches what is `offset` elements behind `at`, which may be no element of its array.
template <class T>
inline void prefetch(const T* at, std::int64_t offset) {
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::intptr_t>(at) +
                                                   offset * static_cast<std::int64_t>(sizeof(T))));
}
// Prefetches the operands that are not in cache: the row above and the coefficients.
template <Form form, class T>
inline void prefetch_operands(const Row<T>& r, std::int64_t offset) {
  prefetch(r.above, offset);
  constexpr int fields = cell_fields(form);
  for (int f = 0; f < fields; ++f) prefetch(r.cell[f], offset);
}

constexpr std::int64_t line_bytes = 64;  // cache line, the unit of non-temporal stores

// A vector of a row that has more cells than two vectors.
template <Form form, class T>
SPEEDWELL_INLINE inline Vector<T> any_vector(const Row<T>& r, std::int64_t i) {
  return i == 0 ? first_vector<form>(r) : i + width<T> == r.n ? last_vector<form>(r, i) : vector_cell<form>(r, i);
}

// Stores lanes [first, first + count) of a vector.
template <class T>
SPEEDWELL_INLINE inline void put_lanes(T* to, Vector<T> v, std::int64_t first, std::int64_t count) {
  T lanes[width<T>];
  core::simd::store(lanes, v);
  for (std::int64_t l = 0; l < count; ++l) to[l] = lanes[first + l];
}

template <Form form, class T>
void product(const Row<T>& r, bool streaming) {
  constexpr std::int64_t line = line_bytes / static_cast<std::int64_t>(sizeof(T));
  if (!streaming || r.n < 2 * line)
    return each_value<form>(r, [&](std::int64_t i, auto y) SPEEDWELL_INLINE { put(r.out + i, y); });
  // Cells before the first whole cache line.
  const auto misaligned = reinterpret_cast<std::uintptr_t>(r.out) % line_bytes;
  std::int64_t i =
      misaligned == 0 ? 0 : (line_bytes - static_cast<std::int64_t>(misaligned)) / static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t v = 0; v < i; v += width<T>)
    put_lanes(r.out + v, any_vector<form>(r, v), 0, i - v < width<T> ? i - v : width<T>);
  if (i == 0) {
    for (; i < line; i += width<T>) numerics::streaming::store(r.out + i, any_vector<form>(r, i));
  }
  // Rows follow each other in memory, except for the last one of a strip.
  constexpr std::int64_t ahead = prefetch_bytes / static_cast<std::int64_t>(sizeof(T));
  for (; i + line < r.n; i += line) {
    prefetch_operands<form>(r, i + ahead);
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < line; v += width<T>)
      numerics::streaming::store(r.out + i + v, vector_cell<form>(r, i + v));
  }
  if (i + line == r.n) {
    for (; i < r.n; i += width<T>) numerics::streaming::store(r.out + i, any_vector<form>(r, i));
  } else {
    for (; i + width<T> < r.n; i += width<T>) put(r.out + i, vector_cell<form>(r, i));
    const std::int64_t last = r.n - width<T>;
    put_lanes(r.out + i, last_vector<form>(r, last), i - last, r.n - i);
  }
}

template <int first, class V, int... Lane>
SPEEDWELL_INLINE inline auto half(V v, std::integer_sequence<int, Lane...>) {
  return __builtin_shufflevector(v, v, (first + Lane)...);
}

// A sum of products over a row, accumulated in double per lane for both precisions. The order depends on n and the
// instruction set only. Lanes are in vectors, which stay in registers from one cell to the next.
template <class T>
class LaneSum {
 public:
  void add(T x, T y) { sum_ += static_cast<double>(x) * static_cast<double>(y); }
  SPEEDWELL_INLINE void add(Vector<T> x, Vector<T> y) {
    if constexpr (vectors == 1) {
      lanes_[0] += x * y;
    } else {
      using Half = std::make_integer_sequence<int, width<double>>;
      lanes_[0] += doubles(half<0>(x, Half{})) * doubles(half<0>(y, Half{}));
      lanes_[1] += doubles(half<width<double>>(x, Half{})) * doubles(half<width<double>>(y, Half{}));
    }
  }
  double total() const {
    double sum = sum_;
    for (int v = 0; v < vectors; ++v)
      for (int l = 0; l < width<double>; ++l) sum += lanes_[v][l];
    return sum;
  }

 private:
  static constexpr int vectors = width<T> / width<double>;
  template <class Halved>
  SPEEDWELL_INLINE static Vector<double> doubles(Halved v) {
    return __builtin_convertvector(v, Vector<double>);
  }

  Vector<double> lanes_[vectors] = {};
  double sum_ = 0;
};

template <Form form, class T>
double product_and_dot(const Row<T>& r) {
  LaneSum<T> sum;
  each_value<form>(r, [&](std::int64_t i, auto y) SPEEDWELL_INLINE {
    put(r.out + i, y);
    sum.add(values_at(r.centre + i, y), y);
  });
  return sum.total();
}

template <Form form, class T>
double dot(const Row<T>& r) {
  LaneSum<T> sum;
  each_value<form>(r, [&](std::int64_t i, auto y) SPEEDWELL_INLINE { sum.add(values_at(r.centre + i, y), y); });
  return sum.total();
}

template <Form form, class T>
double update(const Row<T>& row, T alpha, T* x, T* r, std::int64_t ahead) {
  LaneSum<T> sum;
  each_value<form>(row, [&](std::int64_t i, auto y) SPEEDWELL_INLINE {
    prefetch_operands<form>(row, i + ahead);
    prefetch(x, i + ahead);
    prefetch(r, i + ahead);
    put(x + i, values_at(x + i, y) + alpha * values_at(row.centre + i, y));
    const auto rest = values_at(r + i, y) - alpha * y;
    put(r + i, rest);
    sum.add(rest, rest);
  });
  return sum.total();
}

template <class T>
void direction(const T* r, const T* p, T beta, std::int64_t n, T* cached, T* out, bool streaming, std::int64_t ahead) {
  constexpr std::int64_t line = line_bytes / static_cast<std::int64_t>(sizeof(T));
  std::int64_t i = 0;
  const auto scalar_step = [&] {
    cached[i] = r[i] + beta * p[i];
    if (out) out[i] = cached[i];
    ++i;
  };
  if (out)
    while (i < n && reinterpret_cast<std::uintptr_t>(out + i) % line_bytes != 0) scalar_step();
  const Vector<T> factor = core::simd::broadcast(beta);
  for (; i + line <= n; i += line) {
    prefetch(r, i + ahead);
    prefetch(p, i + ahead);
    for (std::int64_t v = i; v < i + line; v += width<T>) {
      const Vector<T> made = core::simd::load(r + v) + factor * core::simd::load(p + v);
      core::simd::store(cached + v, made);
      if (!out) continue;
      if (streaming)
        numerics::streaming::store(out + v, made);
      else
        core::simd::store(out + v, made);
    }
  }
  while (i < n) scalar_step();
}

}  // namespace

#define SPEEDWELL_FORM(form, T) \
  { product<form, T>, product_and_dot<form, T>, dot<form, T>, update<form, T>, direction<T> }
#define SPEEDWELL_ROWS(T)                                                                                          \
  {                                                                                                                \
    SPEEDWELL_FORM(Form::cell_metric, T), SPEEDWELL_FORM(Form::constant, T), SPEEDWELL_FORM(Form::face_metric, T), \
        SPEEDWELL_FORM(Form::face_coefficient, T), SPEEDWELL_FORM(Form::general, T),                               \
  }
extern const RowTable<float> rows_f32;
extern const RowTable<double> rows_f64;
const RowTable<float> rows_f32 = SPEEDWELL_ROWS(float);
const RowTable<double> rows_f64 = SPEEDWELL_ROWS(double);
#undef SPEEDWELL_ROWS
#undef SPEEDWELL_FORM

}  // namespace speedwell::stencil::SPEEDWELL_ISA

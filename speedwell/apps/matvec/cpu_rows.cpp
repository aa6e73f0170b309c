// Rows times a vector with one instruction set. Four rows go side by side, so that B is loaded once for four, in two
// vectors each: eight independent sums hide the latency of the multiply-add. The order of a row's sum does not depend
// on how many rows go with it. Vector extensions of the compiler and raw pointers only (see core/isa.hpp).
#include <cstdint>

namespace speedwell::matvec::SPEEDWELL_ISA {
namespace {

#if defined(SPEEDWELL_ISA_avx512)
constexpr int vector_bytes = 64;
#elif defined(SPEEDWELL_ISA_avx2)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

// `memory` is aligned to one element: rows begin where they begin.
template <class T>
struct Simd;
template <>
struct Simd<float> {
  typedef float vector __attribute__((vector_size(vector_bytes)));
  typedef float memory __attribute__((vector_size(vector_bytes), aligned(4), may_alias));
  typedef std::int32_t bits __attribute__((vector_size(vector_bytes)));
};
template <>
struct Simd<double> {
  typedef double vector __attribute__((vector_size(vector_bytes)));
  typedef double memory __attribute__((vector_size(vector_bytes), aligned(8), may_alias));
  typedef std::int64_t bits __attribute__((vector_size(vector_bytes)));
};

template <class T>
typename Simd<T>::vector load(const T* p) {
  return *reinterpret_cast<const typename Simd<T>::memory*>(p);
}

// All bits of the last `count` lanes, none of the others.
template <class T>
typename Simd<T>::bits last_lanes(std::int64_t count) {
  constexpr int width = vector_bytes / sizeof(T);
  typename Simd<T>::bits lane;
  for (int l = 0; l < width; ++l) lane[l] = l;
  return lane >= static_cast<decltype(lane[0] + 0)>(width - count);
}

// Masking the bits, not multiplying by zero: an infinity in a lane that does not count must not become a NaN.
template <class T>
typename Simd<T>::vector load(const T* p, typename Simd<T>::bits mask) {
  return reinterpret_cast<typename Simd<T>::vector>(reinterpret_cast<typename Simd<T>::bits>(load(p)) & mask);
}

template <int... Lane>
struct Lanes {};
template <int Width>
struct AllLanes;
template <>
struct AllLanes<2> {
  using type = Lanes<0, 1>;
};
template <>
struct AllLanes<4> {
  using type = Lanes<0, 1, 2, 3>;
};
template <>
struct AllLanes<8> {
  using type = Lanes<0, 1, 2, 3, 4, 5, 6, 7>;
};
template <>
struct AllLanes<16> {
  using type = Lanes<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15>;
};

// The sums of neighbouring lanes: those of x, then those of y.
template <class Vector, int... Lane>
Vector pairs(Vector x, Vector y, Lanes<Lane...>) {
  return __builtin_shufflevector(x, y, (2 * Lane)...) + __builtin_shufflevector(x, y, (2 * Lane + 1)...);
}

// The sum of each row's lanes: neighbours, neighbours of these, and so on. Four rows share the work of one.
template <class T, int Rows>
void sum_lanes(const typename Simd<T>::vector (&v)[Rows], T* c, std::int64_t step) {
  constexpr int width = vector_bytes / sizeof(T);
  constexpr typename AllLanes<width>::type lanes;
  if constexpr (Rows == 4 && width >= 4) {
    auto sums = pairs(pairs(v[0], v[1], lanes), pairs(v[2], v[3], lanes), lanes);
    for (int left = width / 4; left > 1; left /= 2) sums = pairs(sums, sums, lanes);
    for (int r = 0; r < 4; ++r) c[r * step] = sums[r];
  } else {
    for (int r = 0; r < Rows; ++r) {
      auto sums = v[r];
      for (int left = width; left > 1; left /= 2) sums = pairs(sums, sums, lanes);
      c[r * step] = sums[0];
    }
  }
}

template <class T, int Rows>
void rows_at_once(const T* a, std::int64_t leading, const T* b, T* c, std::int64_t step, std::int64_t columns) {
  using vector = typename Simd<T>::vector;
  constexpr int width = vector_bytes / sizeof(T);
  vector even[Rows] = {}, odd[Rows] = {};
  std::int64_t j = 0;
  for (; j + 2 * width <= columns; j += 2 * width) {
    const vector b0 = load(b + j), b1 = load(b + j + width);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
      even[r] += load(a + r * leading + j) * b0;
      odd[r] += load(a + r * leading + j + width) * b1;
    }
  }
  if (j + width <= columns) {
    const vector b0 = load(b + j);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) even[r] += load(a + r * leading + j) * b0;
    j += width;
  }
  if (j < columns) {  // what is left: the row's last vector without the lanes that were counted
    const auto mask = last_lanes<T>(columns - j);
    const vector b0 = load(b + columns - width, mask);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) odd[r] += load(a + r * leading + columns - width, mask) * b0;
  }
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) even[r] += odd[r];
  sum_lanes(even, c, step);
}

// Rows shorter than a vector.
template <class T>
void short_rows(const T* a, std::int64_t leading, const T* b, T* c, std::int64_t step, std::int64_t rows,
                std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i) {
    T sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) sum += a[i * leading + j] * b[j];
    c[i * step] = sum;
  }
}

template <class T>
void rows_times_vector(const T* a, std::int64_t leading, const T* b, T* c, std::int64_t step, std::int64_t rows,
                       std::int64_t columns) {
  constexpr int width = vector_bytes / sizeof(T);
  if (columns < width) return short_rows(a, leading, b, c, step, rows, columns);
  std::int64_t i = 0;
  for (; i + 4 <= rows; i += 4) rows_at_once<T, 4>(a + i * leading, leading, b, c + i * step, step, columns);
  for (; i < rows; ++i) rows_at_once<T, 1>(a + i * leading, leading, b, c + i * step, step, columns);
}

}  // namespace

void rows_f32(const float* a, std::int64_t leading, const float* b, float* c, std::int64_t step, std::int64_t rows,
              std::int64_t columns) {
  rows_times_vector(a, leading, b, c, step, rows, columns);
}
void rows_f64(const double* a, std::int64_t leading, const double* b, double* c, std::int64_t step, std::int64_t rows,
              std::int64_t columns) {
  rows_times_vector(a, leading, b, c, step, rows, columns);
}

}  // namespace speedwell::matvec::SPEEDWELL_ISA

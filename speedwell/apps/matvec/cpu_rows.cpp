// Rows times a vector with one instruction set. Four rows are processed together, so that B is loaded once for four,
// with two vectors of partial sums each: eight independent sums hide the latency of the multiply-add. The order of a
// row's sum does not depend on the number of rows processed together. Vector extensions of the compiler and raw
// pointers only (see core/isa.hpp).
#include <cstdint>

#include "speedwell/core/simd/simd.hpp"

namespace speedwell::matvec::SPEEDWELL_ISA {
namespace {

using core::simd::load;
using core::simd::pairwise_add;
using core::simd::Vector;
using core::simd::width;

template <class T>
using Bits = decltype(Vector<T>{} < Vector<T>{});

// A mask with all bits of the last `count` lanes.
template <class T>
Bits<T> last_lanes(std::int64_t count) {
  const auto lane = core::simd::iota<Bits<T>>();
  return lane >= static_cast<decltype(lane[0] + 0)>(width<T> - count);
}

// The bits are masked instead of multiplying by zero: an infinity in a lane that does not count must not become a NaN.
template <class T>
Vector<T> load(const T* p, Bits<T> mask) {
  return reinterpret_cast<Vector<T>>(reinterpret_cast<Bits<T>>(load(p)) & mask);
}

// Reduces the lanes of each row by repeated pairwise sums. Four rows take as many instructions as one.
template <class T, int Rows>
void sum_lanes(const Vector<T> (&v)[Rows], T* c, std::int64_t step) {
  if constexpr (Rows == 4 && width<T> >= 4) {
    auto sums = pairwise_add<T>(pairwise_add<T>(v[0], v[1]), pairwise_add<T>(v[2], v[3]));
    for (int left = width<T> / 4; left > 1; left /= 2) sums = pairwise_add<T>(sums, sums);
    for (int r = 0; r < 4; ++r) c[r * step] = sums[r];
  } else {
    for (int r = 0; r < Rows; ++r) {
      auto sums = v[r];
      for (int left = width<T>; left > 1; left /= 2) sums = pairwise_add<T>(sums, sums);
      c[r * step] = sums[0];
    }
  }
}

template <class T, int Rows>
void rows_at_once(const T* a, std::int64_t leading, const T* b, T* c, std::int64_t step, std::int64_t columns) {
  using vector = Vector<T>;
  vector even[Rows] = {}, odd[Rows] = {};
  std::int64_t j = 0;
  for (; j + 2 * width<T> <= columns; j += 2 * width<T>) {
    const vector b0 = load(b + j), b1 = load(b + j + width<T>);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
      even[r] += load(a + r * leading + j) * b0;
      odd[r] += load(a + r * leading + j + width<T>) * b1;
    }
  }
  if (j + width<T> <= columns) {
    const vector b0 = load(b + j);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) even[r] += load(a + r * leading + j) * b0;
    j += width<T>;
  }
  if (j < columns) {  // the remainder: the row's last vector without the lanes that were already added
    const auto mask = last_lanes<T>(columns - j);
    const vector b0 = load(b + columns - width<T>, mask);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) odd[r] += load(a + r * leading + columns - width<T>, mask) * b0;
  }
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) even[r] += odd[r];
  sum_lanes(even, c, step);
}

// Handles rows shorter than a vector.
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
  if (columns < width<T>) return short_rows(a, leading, b, c, step, rows, columns);
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

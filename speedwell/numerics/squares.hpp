// Transposition of square blocks, that is, of as many vectors as a vector has lanes, in registers and combined with
// loads and stores. Pack expansions take the place of the loops of core/simd.hpp, so that the compiler keeps everything
// in registers. Internal linkage, as there.
#pragma once

#include <cstddef>
#include <utility>

#include "speedwell/core/simd/simd.hpp"

namespace speedwell::numerics::squares {
namespace {

using core::simd::Vector;
using core::simd::width;

namespace detail {
namespace simd = core::simd;
template <class T, int Half, int... Row>
inline void transpose(Vector<T>* rows, std::integer_sequence<int, Row...> all) {
  if constexpr (Half > 0) {
    ((Row & Half ? void() : simd::detail::exchange<Half>(rows[Row], rows[Row | Half], all)), ...);
    transpose<T, Half / 2>(rows, all);
  }
}
template <class T, int... Row>
inline void load_transposed(const T* first, std::ptrdiff_t stride, Vector<T>* columns,
                            std::integer_sequence<int, Row...> all) {
  Vector<T> rows[width<T>] = {simd::load(first + Row * stride)...};
  transpose<T, width<T> / 2>(rows, all);
  ((columns[Row] = rows[Row]), ...);
}
template <class T, int... Row>
inline void store_transposed(T* first, std::ptrdiff_t stride, const Vector<T>* columns,
                             std::integer_sequence<int, Row...> all) {
  Vector<T> rows[width<T>] = {columns[Row]...};
  transpose<T, width<T> / 2>(rows, all);
  (simd::store(first + Row * stride, rows[Row]), ...);
}
}  // namespace detail

/// Transposes in place: swaps rows[r][l] and rows[l][r].
template <class T>
inline void transpose(Vector<T> (&rows)[width<T>]) {
  detail::transpose<T, width<T> / 2>(rows, core::simd::detail::Numbers<T>{});
}

/// Loads vectors that are `stride` elements apart as columns: columns[c][l] = first[l * stride + c].
template <class T>
inline void load_transposed(const T* first, std::ptrdiff_t stride, Vector<T> (&columns)[width<T>]) {
  detail::load_transposed<T>(first, stride, columns, core::simd::detail::Numbers<T>{});
}
/// Stores columns to vectors that are `stride` elements apart: first[l * stride + c] = columns[c][l].
template <class T>
inline void store_transposed(T* first, std::ptrdiff_t stride, const Vector<T> (&columns)[width<T>]) {
  detail::store_transposed<T>(first, stride, columns, core::simd::detail::Numbers<T>{});
}

}  // namespace
}  // namespace speedwell::numerics::squares

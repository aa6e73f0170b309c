// Squares of as many vectors as one has lanes, transposed in registers and on the way from and to memory. What
// core/simd.hpp does in a loop stands here as a pack, which leaves the compiler nothing to put into memory. Internal
// linkage, as there.
#pragma once

#include <cstddef>
#include <utility>

#include "speedwell/core/simd.hpp"

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
inline void load_transposed(const T* first, std::ptrdiff_t apart, Vector<T>* columns,
                            std::integer_sequence<int, Row...> all) {
  Vector<T> rows[width<T>] = {simd::load(first + Row * apart)...};
  transpose<T, width<T> / 2>(rows, all);
  ((columns[Row] = rows[Row]), ...);
}
template <class T, int... Row>
inline void store_transposed(T* first, std::ptrdiff_t apart, const Vector<T>* columns,
                             std::integer_sequence<int, Row...> all) {
  Vector<T> rows[width<T>] = {columns[Row]...};
  transpose<T, width<T> / 2>(rows, all);
  (simd::store(first + Row * apart, rows[Row]), ...);
}
}  // namespace detail

/// rows[r][l] and rows[l][r] change places.
template <class T>
inline void transpose(Vector<T> (&rows)[width<T>]) {
  detail::transpose<T, width<T> / 2>(rows, core::simd::detail::Numbers<T>{});
}

/// Vectors from memory, the next `apart` elements further than the one before, as columns: columns[c][l] = first[l *
/// apart + c].
template <class T>
inline void load_transposed(const T* first, std::ptrdiff_t apart, Vector<T> (&columns)[width<T>]) {
  detail::load_transposed<T>(first, apart, columns, core::simd::detail::Numbers<T>{});
}
/// And back: first[l * apart + c] = columns[c][l].
template <class T>
inline void store_transposed(T* first, std::ptrdiff_t apart, const Vector<T> (&columns)[width<T>]) {
  detail::store_transposed<T>(first, apart, columns, core::simd::detail::Numbers<T>{});
}

}  // namespace
}  // namespace speedwell::numerics::squares

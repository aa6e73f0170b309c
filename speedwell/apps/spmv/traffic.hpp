// Bytes that a product reads of a matrix in each format. Performance limits are computed from them: README, section
// Limits.
#pragma once

#include <algorithm>

#include "speedwell/apps/spmv/problem.hpp"

namespace speedwell::spmv {

/// csr: offsets of 8 bytes; narrow_csr: of 4, as cuSPARSE has them. fastest: sliced ELL or DIA, whichever
/// sparse::diagonals_win() prefers.
enum class Format { csr, narrow_csr, sliced_ell, dia, bsr, fastest };

/// What of a matrix these bytes depend on.
struct Shape {
  double rows = 0, columns = 0, entries = 0;
  double sliced = 0;     // entries that sliced ELL stores
  double diagonals = 0;  // on which the entries lie
  bool generated = false;
};

/// The shape of a matrix that is generated, without generating it.
inline Shape shape_of(const Problem& problem) {
  const double n = static_cast<double>(problem.grid.size());
  const bool wide = problem.matrix == "27-point", periodic = problem.boundary == stencil::Boundary::periodic;
  const double entries = (wide ? 27 : 7) * n;
  return {.rows = n,
          .columns = n,
          .entries = entries,
          .sliced = entries,
          .diagonals = wide       ? 27.0
                       : periodic ? 13.0
                                  : 7.0,
          .generated = true};
}
template <class T>
Shape shape_of(const sparse::Csr<T>& m) {
  return {.rows = static_cast<double>(m.rows),
          .columns = static_cast<double>(m.columns),
          .entries = static_cast<double>(m.entries()),
          .sliced = static_cast<double>(sparse::sliced_entries(m)),
          .diagonals = static_cast<double>(sparse::diagonal_count(m))};
}

/// `word`: bytes of a value. BSR of a generated matrix: in blocks of 2 rows, which take the fewest bytes, each
/// neighbour of two adjacent cells is in one block; of a file its values, since its blocks are not counted.
constexpr double matrix_bytes(Format format, const Shape& m, double word) {
  const double sliced = sparse::sliced_bytes(m.sliced, word),
               diagonals = sparse::diagonals_bytes(m.rows, m.diagonals, word);
  switch (format) {
    case Format::csr:
      return m.entries * (word + 4) + 8 * m.rows;
    case Format::narrow_csr:
      return m.entries * (word + 4) + 4 * m.rows;
    case Format::sliced_ell:
      return sliced;
    case Format::dia:
      return diagonals;
    case Format::bsr:
      return m.generated ? m.rows / 2 * (m.entries / std::max(m.rows, 1.0) * (4 * word + 4) + 8) : m.entries * word;
    case Format::fastest:
      break;
  }
  return sparse::diagonals_win(diagonals, sliced) ? diagonals : sliced;
}

/// The fewest bytes: of a generated matrix its values and columns, or diagonals; of a file its values.
constexpr double best_matrix_bytes(const Shape& m, double word) {
  if (!m.generated) return m.entries * word;
  return std::min(m.entries * (word + 4), sparse::diagonals_bytes(m.rows, m.diagonals, word));
}

}  // namespace speedwell::spmv

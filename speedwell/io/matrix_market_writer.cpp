// Writes Matrix Market files with the shortest digits that are read back as the same number.
#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>

#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/matrix_market.hpp"

namespace speedwell::io {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 16;

template <class Number>
void append(std::string& text, Number number, char after) {
  char digits[32];
  const auto written = std::to_chars(digits, digits + sizeof digits, number);
  text.append(digits, written.ptr);
  text.push_back(after);
}

// The value at (row, column), or 0 if there is none. The columns of a row increase.
double value_at(const SparseMatrix& m, std::int64_t row, std::int64_t column) {
  const auto begin = m.column.begin() + m.offsets[static_cast<std::size_t>(row)],
             end = m.column.begin() + m.offsets[static_cast<std::size_t>(row) + 1];
  const auto at = std::lower_bound(begin, end, column);
  return at != end && *at == column ? m.value[static_cast<std::size_t>(at - m.column.begin())] : 0;
}

bool belongs(Symmetry symmetry, std::int64_t row, std::int64_t column) {
  return symmetry == Symmetry::general || column < row || (column == row && symmetry == Symmetry::symmetric);
}

}  // namespace

void write_matrix_market(const std::string& path, const SparseMatrix& m, Symmetry symmetry) {
  const char* const word = symmetry == Symmetry::general     ? "general"
                           : symmetry == Symmetry::symmetric ? "symmetric"
                                                             : "skew-symmetric";
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < m.rows; ++i)
    for (std::int64_t e = m.offsets[static_cast<std::size_t>(i)]; e < m.offsets[static_cast<std::size_t>(i) + 1]; ++e) {
      const std::int64_t j = m.column[static_cast<std::size_t>(e)];
      const double value = m.value[static_cast<std::size_t>(e)];
      count += belongs(symmetry, i, j);
      if (symmetry == Symmetry::general) continue;
      const double mirrored = j < m.rows ? value_at(m, j, i) : 0;
      if (m.rows != m.columns || mirrored != (symmetry == Symmetry::symmetric ? value : -value))
        throw std::invalid_argument("matrix market: (" + std::to_string(i + 1) + ", " + std::to_string(j + 1) +
                                    ") of a " + word + " matrix is not mirrored");
    }
  AtomicFile file(path);
  std::string text = std::string("%%MatrixMarket matrix coordinate real ") + word + "\n";
  append(text, m.rows, ' ');
  append(text, m.columns, ' ');
  append(text, count, '\n');
  for (std::int64_t i = 0; i < m.rows; ++i)
    for (std::int64_t e = m.offsets[static_cast<std::size_t>(i)]; e < m.offsets[static_cast<std::size_t>(i) + 1]; ++e) {
      if (!belongs(symmetry, i, m.column[static_cast<std::size_t>(e)])) continue;
      append(text, i + 1, ' ');
      append(text, m.column[static_cast<std::size_t>(e)] + std::int64_t{1}, ' ');
      append(text, m.value[static_cast<std::size_t>(e)], '\n');
      if (text.size() < piece_bytes) continue;
      file.write(text);
      text.clear();
    }
  file.write(text);
  file.commit();
}

void write_matrix_market_vector(const std::string& path, const std::vector<double>& vector) {
  AtomicFile file(path);
  std::string text = "%%MatrixMarket matrix array real general\n";
  append(text, vector.size(), ' ');
  text += "1\n";
  for (const double value : vector) {
    append(text, value, '\n');
    if (text.size() < piece_bytes) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
  file.commit();
}

}  // namespace speedwell::io

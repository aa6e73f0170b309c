// The argument checks of the public functions.
#include "speedwell/apps/matvec/matvec.hpp"

#include <limits>
#include <stdexcept>
#include <string>

namespace speedwell::matvec {
namespace {

template <class T>
void require(const Matrix<T>& a, std::span<const T> b, std::span<const T> c) {
  const auto text = [](std::int64_t n) { return std::to_string(n); };
  if (a.rows < 1 || a.columns < 1)
    throw std::invalid_argument("matvec: the matrix is " + text(a.rows) + " x " + text(a.columns) +
                                "; it needs at least one row and one column");
  if (a.leading < a.columns)
    throw std::invalid_argument("matvec: the leading dimension is " + text(a.leading) + ", less than the " +
                                text(a.columns) + " columns");
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(sizeof(T));
  if (a.rows > most / a.leading)
    throw std::invalid_argument("matvec: " + text(a.rows) + " rows of " + text(a.leading) +
                                " elements are more bytes than 64 bits can count");
  if (b.size() != static_cast<std::size_t>(a.columns))
    throw std::invalid_argument("matvec: b has " + std::to_string(b.size()) + " elements, the matrix " +
                                text(a.columns) + " columns");
  if (c.size() != static_cast<std::size_t>(a.rows))
    throw std::invalid_argument("matvec: c has " + std::to_string(c.size()) + " elements, the matrix " + text(a.rows) +
                                " rows");
}

}  // namespace

void require_product(const Matrix<float>& a, std::span<const float> b, std::span<const float> c) { require(a, b, c); }
void require_product(const Matrix<double>& a, std::span<const double> b, std::span<const double> c) {
  require(a, b, c);
}

}  // namespace speedwell::matvec

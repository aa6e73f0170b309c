// The serial reference: two loops, each sum in the order of increasing j. Listing 2.1 of the 2009 study.
#include "speedwell/apps/matvec/matvec.hpp"

namespace speedwell::matvec {
namespace {

template <class T>
void serial(const Matrix<T>& a, std::span<const T> b, std::span<T> c) {
  require_product(a, b, c);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    T sum = 0;
    for (std::int64_t j = 0; j < a.columns; ++j) sum += a.data[i * a.leading + j] * b[j];
    c[i] = sum;
  }
}

}  // namespace

void multiply_serially(const Matrix<float>& a, std::span<const float> b, std::span<float> c) { serial(a, b, c); }
void multiply_serially(const Matrix<double>& a, std::span<const double> b, std::span<double> c) { serial(a, b, c); }

}  // namespace speedwell::matvec

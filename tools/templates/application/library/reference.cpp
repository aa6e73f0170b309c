// The oracle: the definition in one loop. A fused multiply-add rounds a x + y once; of operands in single precision the
// product is exact in f64.
#include <cmath>
#include <cstddef>

#include "speedwell/apps/new_application/verify.hpp"

namespace speedwell::new_application {

template <class T>
std::vector<double> reference(T a, std::span<const T> x, std::span<const T> y) {
  std::vector<double> expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    expected[i] = std::fma(static_cast<double>(a), static_cast<double>(x[i]), static_cast<double>(y[i]));
  return expected;
}

template std::vector<double> reference(double, std::span<const double>, std::span<const double>);
template std::vector<double> reference(float, std::span<const float>, std::span<const float>);

}  // namespace speedwell::new_application

// The product of a 3 x 3 matrix and a vector on two threads.
#include <cstdio>
#include <vector>

#include "speedwell/apps/matvec/matvec.hpp"

int main() {
  const std::vector<double> a = {2, -1, 0, -1, 2, -1, 0, -1, 2}, b = {1, 2, 3};
  std::vector<double> c(3);
  speedwell::matvec::multiply(speedwell::core::View<const double, 2>(a.data(), {3, 3}), b, c, 2);
  std::printf("%g %g %g\n", c[0], c[1], c[2]);  // 0 0 4
}

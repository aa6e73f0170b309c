// Expressions over fields in a program that uses the installed package: the divergence of a curl is 0. Prints the
// same line as main.cpp, for the test that runs both.
#include <cstdio>
#include <speedwell/apps/vector_calculus/vector_calculus.hpp>

int main() {
  using namespace speedwell::vector_calculus;
  const Grid grid{.nx = 8, .ny = 9, .nz = 10, .dx = 0.5, .dy = 0.25, .dz = 0.125};
  VectorField<double> a(grid);
  ScalarField<double> zero(grid);
  for (std::size_t w = 0; w < a.values().size(); ++w) a.values()[w] = static_cast<double>(w * w % 101);
  assign(zero, div(curl(a)));
  int others = 0;
  for (const double v : zero.values()) others += v != 0;
  std::printf("%d\n", others == 0 ? 285 : others);
}

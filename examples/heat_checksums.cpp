// FT of the NAS Parallel Benchmarks on all cores: the heat equation on 64^3 points, and a checksum of each time step.
#include <cstdio>
#include <speedwell/apps/npb/ft/ft.hpp>

int main() {
  namespace ft = speedwell::npb::ft;
  ft::Solver solver({.nx = 64, .ny = 64, .nz = 64, .iterations = 6});
  int t = 0;
  for (const std::complex<double> sum : solver.run()) std::printf("%d: %.12e %.12e\n", ++t, sum.real(), sum.imag());
}

#include "speedwell/apps/incompressible_flow/statistics/spectrum.hpp"

#include <cmath>
#include <numbers>

namespace speedwell::incompressible_flow {
namespace {

double width_of(const std::vector<double>& faces) {
  return (faces.back() - faces.front()) / static_cast<double>(faces.size() - 1);
}

}  // namespace

double eigenvalue(int m, int n, double width, bool periodic) {
  const double s = std::sin(std::numbers::pi * m / (periodic ? n : 2.0 * n));
  return -4 / (width * width) * s * s;
}

template <class T>
std::vector<std::complex<T>> cosine_twiddles(int n) {
  std::vector<std::complex<T>> turns;
  for (int k = 0; k < n; ++k) turns.push_back(std::complex<T>(std::polar(1.0, -std::numbers::pi * k / (2.0 * n))));
  return turns;
}

template <class T>
std::vector<T> row_eigenvalues(const Problem& problem) {
  const int n = problem.extents().nx;
  const double h = width_of(problem.faces[0]);
  const bool periodic = problem.periodic(0);
  std::vector<T> values;
  for (int k = 0; k <= n / 2; ++k) {
    values.push_back(static_cast<T>(eigenvalue(k, n, h, periodic)));
    // There is no mode n: its right-hand side is 0, and its eigenvalue can be any number but 0.
    values.push_back(static_cast<T>(periodic ? eigenvalue(k, n, h, true) : eigenvalue(n - k, n, h, false)));
  }
  return values;
}

template <class T>
std::vector<T> column_eigenvalues(const Problem& problem) {
  const int n = problem.extents().ny;
  std::vector<T> values;
  for (int k = 0; k < n; ++k)
    values.push_back(static_cast<T>(eigenvalue(k, n, width_of(problem.faces[1]), problem.periodic(1))));
  return values;
}

template std::vector<std::complex<float>> cosine_twiddles(int);
template std::vector<std::complex<double>> cosine_twiddles(int);
template std::vector<float> row_eigenvalues(const Problem&);
template std::vector<double> row_eigenvalues(const Problem&);
template std::vector<float> column_eigenvalues(const Problem&);
template std::vector<double> column_eigenvalues(const Problem&);

}  // namespace speedwell::incompressible_flow

// Sums and updates of rows in one instruction set: the compiler vectorises the loops, whose lanes add up terms of their
// own.
#include "speedwell/apps/incompressible_flow/cpu/vector_rows.hpp"

namespace speedwell::incompressible_flow::SPEEDWELL_ISA {
namespace {

template <class T>
double product(T a, T b) {
  return static_cast<double>(a) * static_cast<double>(b);
}

template <class T>
double masked_sum(int n, const T* mask, T* x) {
  double sum = 0;
  if (mask) {
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; ++i) {
      x[i] *= mask[i];
      sum += static_cast<double>(x[i]);
    }
  } else {
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += static_cast<double>(x[i]);
  }
  return sum;
}

template <class T>
double shifted_product(int n, T shift, const T* mask, const T* r, T* z) {
  double sum = 0;
  if (mask) {
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; ++i) {
      z[i] -= shift * mask[i];
      sum += product(r[i], z[i]);
    }
  } else {
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; ++i) {
      z[i] -= shift;
      sum += product(r[i], z[i]);
    }
  }
  return sum;
}

template <class T>
void new_direction(int n, T beta, const T* z, T* p) {
#pragma omp simd
  for (int i = 0; i < n; ++i) p[i] = z[i] + beta * p[i];
}

template <class T>
double advance(int n, T alpha, const T* p, const T* q, T* x, T* r) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
    sum += product(r[i], r[i]);
  }
  return sum;
}

template <class T>
double square(int n, const T* x) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += product(x[i], x[i]);
  return sum;
}

template <class T>
double weighted_sum(int n, const double* weights, const T* x) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += weights[i] * static_cast<double>(x[i]);
  return sum;
}

template <class T>
constexpr VectorRows<T> all = {masked_sum<T>, shifted_product<T>, new_direction<T>,
                               advance<T>,    square<T>,          weighted_sum<T>};

}  // namespace

VectorRows<float> vectors_f32() { return all<float>; }
VectorRows<double> vectors_f64() { return all<double>; }

}  // namespace speedwell::incompressible_flow::SPEEDWELL_ISA

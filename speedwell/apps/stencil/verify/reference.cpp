// The oracle: written directly from the definitions, without optimisation.
#include "speedwell/apps/stencil/verify/reference.hpp"

#include <cmath>
#include <vector>

namespace speedwell::stencil {
namespace {

// The cell (i, j, k), wrapped around in a periodic box; -1 outside of any other box.
std::int64_t cell_at(const Grid& g, Boundary boundary, std::int64_t i, std::int64_t j, std::int64_t k) {
  if (boundary == Boundary::periodic) return ((k + g.nz) % g.nz * g.ny + (j + g.ny) % g.ny) * g.nx + (i + g.nx) % g.nx;
  if (i < 0 || i >= g.nx || j < 0 || j >= g.ny || k < 0 || k >= g.nz) return -1;
  return (k * g.ny + j) * g.nx + i;
}

}  // namespace

template <class T>
Exact reference_product_at(const Operator<T>& a, const T* x, std::int64_t i, std::int64_t j, std::int64_t k) {
  const Grid& g = a.grid;
  const std::int64_t here = cell_at(g, a.boundary, i, j, k);
  const std::int64_t there[6] = {cell_at(g, a.boundary, i - 1, j, k), cell_at(g, a.boundary, i + 1, j, k),
                                 cell_at(g, a.boundary, i, j - 1, k), cell_at(g, a.boundary, i, j + 1, k),
                                 cell_at(g, a.boundary, i, j, k - 1), cell_at(g, a.boundary, i, j, k + 1)};
  const std::int64_t index[3] = {i, j, k};
  const long double centre = x[here];
  Exact sum;
  const auto add = [&](long double coefficient, long double value) {
    sum.value += coefficient * value;
    sum.magnitude += std::abs(coefficient * value);
  };
  if (a.form == Form::cell_metric) add(a.cell[1][here], centre);
  if (a.form == Form::constant) add(a.weight[3], centre);
  if (a.form == Form::general) add(a.cell[0][here], centre);
  if (a.form == Form::face_metric || a.form == Form::face_coefficient) add(a.sigma, centre);
  for (int f = 0; f < 6; ++f) {
    const int d = f / 2;
    const bool upper = f % 2 == 1;
    const bool missing = there[f] < 0;
    const long double neighbour = missing ? 0.0L : static_cast<long double>(x[there[f]]);
    switch (a.form) {
      case Form::cell_metric:
        add(static_cast<long double>(a.cell[0][here]) * a.metric[d][index[d]], neighbour);
        break;
      case Form::constant:
        add(a.weight[d], neighbour);
        break;
      case Form::general:
        add(a.cell[1 + f][here], neighbour);
        break;
      case Form::face_metric:
      case Form::face_coefficient: {
        if (missing && a.boundary == Boundary::none) break;
        long double face = 1;
        if (a.form == Form::face_metric) {
          for (int other = 0; other < 3; ++other)
            if (other != d) face *= a.metric[other][index[other]];
          face *= a.inverse[d][index[d] + (upper ? 1 : 0)];
        } else {
          face = a.cell[d][upper || missing ? here : there[f]];
        }
        add(face, centre);
        add(-face, neighbour);
        break;
      }
    }
  }
  return sum;
}

namespace {

// Each element is rounded to f64 and then to that of `y`.
template <class T, class Y>
void store_product(const Operator<T>& a, const T* x, Y* y) {
#pragma omp parallel for collapse(2) schedule(static)
  for (std::int64_t k = 0; k < a.grid.nz; ++k)
    for (std::int64_t j = 0; j < a.grid.ny; ++j)
      for (std::int64_t i = 0; i < a.grid.nx; ++i)
        y[(k * a.grid.ny + j) * a.grid.nx + i] =
            static_cast<Y>(static_cast<double>(reference_product_at(a, x, i, j, k).value));
}

}  // namespace

template <class T>
std::vector<double> reference_product(const Operator<T>& a, const T* x) {
  std::vector<double> y(static_cast<std::size_t>(a.grid.size()));
  store_product(a, x, y.data());
  return y;
}

template <class T>
std::vector<T> reference_sweeps(const Operator<T>& a, const T* x, int sweeps) {
  std::vector<T> now(x, x + a.grid.size()), next(now.size());
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    store_product(a, now.data(), next.data());
    now.swap(next);
  }
  return now;
}

template <class T>
long double reference_sum_of_squares(const T* v, std::int64_t n) {
  // Compensated summation within blocks (Neumaier 1974; Higham 2002, 4.3), and over blocks.
  struct Compensated {
    long double sum = 0, rest = 0;
    void add(long double term) {
      const long double next = sum + term;
      rest += std::abs(sum) >= std::abs(term) ? (sum - next) + term : (term - next) + sum;
      sum = next;
    }
  };
  constexpr std::int64_t piece = 1 << 16;
  std::vector<long double> pieces(static_cast<std::size_t>((n + piece - 1) / piece));
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    Compensated total;
    const std::int64_t begin = static_cast<std::int64_t>(p) * piece;
    for (std::int64_t i = begin; i < n && i < begin + piece; ++i) total.add(static_cast<long double>(v[i]) * v[i]);
    pieces[p] = total.sum + total.rest;
  }
  Compensated total;
  for (const long double value : pieces) total.add(value);
  return total.sum + total.rest;
}

template <class T>
T reference_running_sum(const T* v, std::int64_t n) {
  T sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += v[i] * v[i];
  return sum;
}

#define SPEEDWELL_REFERENCE(T)                                                                                 \
  template Exact reference_product_at(const Operator<T>&, const T*, std::int64_t, std::int64_t, std::int64_t); \
  template std::vector<double> reference_product(const Operator<T>&, const T*);                                \
  template std::vector<T> reference_sweeps(const Operator<T>&, const T*, int);                                 \
  template long double reference_sum_of_squares(const T*, std::int64_t);                                       \
  template T reference_running_sum(const T*, std::int64_t);
SPEEDWELL_REFERENCE(float)
SPEEDWELL_REFERENCE(double)
#undef SPEEDWELL_REFERENCE

}  // namespace speedwell::stencil

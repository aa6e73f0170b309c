// Sums of squares in stages: an average over n cells by recursive summation loses log10 n digits, staged sums about
// two.
#include <algorithm>
#include <vector>

#include "speedwell/apps/stencil/contract.hpp"
#include "speedwell/apps/stencil/stencil.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::stencil {

template <class T>
double sum_of_squares(std::span<const T> v, int threads) {
  constexpr std::size_t block = 2048, lanes = 16;
  const std::size_t blocks = (v.size() + block - 1) / block;
  std::vector<double> sums(blocks);
  const int team = core::resolve_threads(threads);
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1 && blocks > 64)
  for (std::size_t b = 0; b < blocks; ++b) {
    const T* const at = v.data() + b * block;
    const std::size_t count = std::min(block, v.size() - b * block), whole = count / lanes * lanes;
    double lane[lanes] = {}, sum = 0;
    for (std::size_t i = 0; i < whole; i += lanes)
      for (std::size_t l = 0; l < lanes; ++l)
        lane[l] += static_cast<double>(at[i + l]) * static_cast<double>(at[i + l]);
    for (std::size_t i = whole; i < count; ++i) sum += static_cast<double>(at[i]) * static_cast<double>(at[i]);
    for (const double value : lane) sum += value;
    sums[b] = sum;
  }
  return staged_sum(sums);
}

template <class T>
double sum_of_plane(const Grid& g, std::span<const T> of_columns) {
  std::vector<T> along_y(static_cast<std::size_t>(g.nx), T(0));
  for (std::int64_t j = 0; j < g.ny; ++j)
    for (std::int64_t i = 0; i < g.nx; ++i)
      along_y[static_cast<std::size_t>(i)] += of_columns[static_cast<std::size_t>(j * g.nx + i)];
  T sum = 0;
  for (const T value : along_y) sum += value;
  return static_cast<double>(sum);
}

template <class T>
double sum_of_squares_in_stages(const Grid& g, std::span<const T> v, int threads) {
  require_grid(g, Form::constant, Boundary::zero);
  require_field<T>(g, v, "v");
  std::vector<T> of_columns(static_cast<std::size_t>(g.nx * g.ny), T(0));
  const int team = core::resolve_threads(threads);
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
  for (std::int64_t j = 0; j < g.ny; ++j) {
    T* const column = of_columns.data() + j * g.nx;
    for (std::int64_t k = 0; k < g.nz; ++k) {
      const T* const row = v.data() + g.cell(0, j, k);
      for (std::int64_t i = 0; i < g.nx; ++i) column[i] += row[i] * row[i];
    }
  }
  return sum_of_plane<T>(g, of_columns);
}

#define SPEEDWELL_SUMS(T)                                        \
  template double sum_of_squares(std::span<const T>, int);       \
  template double sum_of_plane(const Grid&, std::span<const T>); \
  template double sum_of_squares_in_stages(const Grid&, std::span<const T>, int);
SPEEDWELL_SUMS(float)
SPEEDWELL_SUMS(double)
#undef SPEEDWELL_SUMS

}  // namespace speedwell::stencil

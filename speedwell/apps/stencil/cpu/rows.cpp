#include "speedwell/apps/stencil/cpu/rows.hpp"

#include "speedwell/core/simd/isa_choice.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace speedwell::stencil {

SPEEDWELL_IN_EACH_ISA(extern const RowTable<float> rows_f32; extern const RowTable<double> rows_f64;)

template <>
RowKernels<float> row_kernels(core::Isa isa, Form form) {
  return SPEEDWELL_OF_ISA(isa, rows_f32[static_cast<int>(form)]);
}
template <>
RowKernels<double> row_kernels(core::Isa isa, Form form) {
  return SPEEDWELL_OF_ISA(isa, rows_f64[static_cast<int>(form)]);
}

void streaming_fence() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

template <class T>
Row<T> row_of(const Operator<T>& a, std::int64_t begin, std::int64_t n, std::int64_t j, std::int64_t k) {
  const Grid& g = a.grid;
  Row<T> row;
  row.n = n;
  row.sigma = a.sigma;
  for (int w = 0; w < 4; ++w) row.weight[w] = a.weight[w];
  const std::int64_t first = g.cell(begin, j, k);
  for (int f = 0; f < cell_fields(a.form); ++f) row.cell[f] = a.cell[f] + first;
  if (a.form == Form::cell_metric || a.form == Form::face_metric) {
    row.metric_x = a.metric[0] + begin;
    row.metric_y = a.metric[1][j];
    row.metric_z = a.metric[2][k];
  }
  if (a.form == Form::face_metric) {
    row.inverse_x = a.inverse[0] + begin;
    row.inverse[0] = a.inverse[1][j];
    row.inverse[1] = a.inverse[1][j + 1];
    row.inverse[2] = a.inverse[2][k];
    row.inverse[3] = a.inverse[2][k + 1];
  }
  if (a.form == Form::face_coefficient) {
    const std::int64_t i = neighbour_index(begin - 1, g.nx, a.boundary),
                       south = neighbour_index(j - 1, g.ny, a.boundary),
                       below = neighbour_index(k - 1, g.nz, a.boundary);
    row.face_west = a.cell[0][g.cell(i < 0 ? begin : i, j, k)];
    row.face_south = a.cell[1] + g.cell(begin, south < 0 ? j : south, k);
    row.face_below = a.cell[2] + g.cell(begin, j, below < 0 ? k : below);
  }
  return row;
}

template <class T>
void point_at(Row<T>& row, const Operator<T>& a, const T* x, const T* zeros, std::int64_t begin, std::int64_t j,
              std::int64_t k) {
  const Grid& g = a.grid;
  const T* const centre = x + g.cell(begin, j, k);
  const T* const ghost = a.boundary == Boundary::none ? centre : zeros;
  const auto at = [&](std::int64_t jj, std::int64_t kk) {
    const std::int64_t j_there = neighbour_index(jj, g.ny, a.boundary), k_there = neighbour_index(kk, g.nz, a.boundary);
    return j_there < 0 || k_there < 0 ? ghost : x + g.cell(begin, j_there, k_there);
  };
  row.centre = centre;
  row.south = at(j - 1, k);
  row.north = at(j + 1, k);
  row.below = at(j, k - 1);
  row.above = at(j, k + 1);
  const auto end = [&](std::int64_t i, T own) {
    const std::int64_t there = neighbour_index(i, g.nx, a.boundary);
    if (there >= 0) return x[g.cell(there, j, k)];
    return a.boundary == Boundary::none ? own : T(0);
  };
  row.west_end = end(begin - 1, centre[0]);
  row.east_end = end(begin + row.n, centre[row.n - 1]);
}

template Row<float> row_of(const Operator<float>&, std::int64_t, std::int64_t, std::int64_t, std::int64_t);
template Row<double> row_of(const Operator<double>&, std::int64_t, std::int64_t, std::int64_t, std::int64_t);
template void point_at(Row<float>&, const Operator<float>&, const float*, const float*, std::int64_t, std::int64_t,
                       std::int64_t);
template void point_at(Row<double>&, const Operator<double>&, const double*, const double*, std::int64_t, std::int64_t,
                       std::int64_t);

}  // namespace speedwell::stencil

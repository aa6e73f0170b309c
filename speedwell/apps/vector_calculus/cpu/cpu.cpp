// The operations on all cores: rows, words or points in vectors of the widest instruction set, a contiguous part per
// thread.
#include "speedwell/apps/vector_calculus/cpu/cpu.hpp"

#include <type_traits>

#include "speedwell/apps/vector_calculus/cpu/cpu_rows.hpp"
#include "speedwell/apps/vector_calculus/cpu/host_rows.hpp"
#include "speedwell/apps/vector_calculus/operations/operation_expression.hpp"
#include "speedwell/core/simd/isa_choice.hpp"

namespace speedwell::vector_calculus {

SPEEDWELL_IN_EACH_ISA(RowCallOf row_call_f64, row_call_f32;)

template <class T>
RowCallOf* row_calls() {
  const core::Isa isa = core::best_isa();
  if constexpr (std::is_same_v<T, double>)
    return SPEEDWELL_OF_ISA(isa, row_call_f64);
  else
    return SPEEDWELL_OF_ISA(isa, row_call_f32);
}
template RowCallOf* row_calls<float>();
template RowCallOf* row_calls<double>();

template <class T>
void apply(Operation operation, Layout layout, const Operands<T>& operands, T* out, int threads) {
  const OperationInfo& of = info(operation);
  const Grid& grid = *operands.grid;
  require_grid(grid, of.reach);
  const RowJob<T> job{operands, host_frame_of<T>(grid),
                      out,      host::exceeds_caches(static_cast<double>(grid.size()) * words(of) * sizeof(T)),
                      0,        grid.nx};
  host::Call* const call = row_calls<T>()(operation, layout, grid.boundary == Boundary::one_sided);
  if (of.reach > 0)
    host::for_each_row(grid, words_read(of) * sizeof(T), of.reach, threads, call, &job);
  else if (of.flat)
    host::parallel_for(3 * grid.size(), sizeof(T), threads, call, &job);
  else
    host::parallel_for(grid.size(), of.components * sizeof(T), threads, call, &job);
}

template <class T>
void apply_serially(Operation operation, Layout layout, const Operands<T>& operands, T* out) {
  const Grid& grid = *operands.grid;
  require_grid(grid, info(operation).reach);
  const HostFrame<T> frame = host_frame_of<T>(grid);
  with_operation(operation, layout, [&]<Operation o, Layout l>() {
    const auto e = expression_of<o, l, MemorySpace::host>(operands);
    const host::Result<T, operations[static_cast<int>(o)].components, l> result{out};
    const auto points = [&]<bool sided>() {
      for (std::int64_t k = 0, point = 0; k < grid.nz; ++k)
        for (std::int64_t j = 0; j < grid.ny; ++j)
          for (std::int64_t i = 0; i < grid.nx; ++i, ++point)
            result.set(point, frame.points, e.at(host::RowPoint<T, sided>{frame, i, j, k}, Shift{}));
    };
    if (grid.boundary == Boundary::one_sided)
      points.template operator()<true>();
    else
      points.template operator()<false>();
  });
}

template void apply(Operation, Layout, const Operands<float>&, float*, int);
template void apply(Operation, Layout, const Operands<double>&, double*, int);
template void apply_serially(Operation, Layout, const Operands<float>&, float*);
template void apply_serially(Operation, Layout, const Operands<double>&, double*);

}  // namespace speedwell::vector_calculus

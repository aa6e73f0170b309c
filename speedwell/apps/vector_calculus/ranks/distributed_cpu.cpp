#include "speedwell/apps/vector_calculus/ranks/distributed_cpu.hpp"

#include <vector>

#include "speedwell/apps/vector_calculus/cpu/cpu_rows.hpp"
#include "speedwell/apps/vector_calculus/distributed.hpp"
#include "speedwell/apps/vector_calculus/operations/operation_expression.hpp"

namespace speedwell::vector_calculus {

template <class T>
void apply(DistributedGrid& grid, Operation operation, Layout layout, const Operands<T>& operands, T* out,
           HaloUpdate update) {
  const OperationInfo& of = info(operation);
  Operands<T> tiles = operands;
  tiles.grid = &grid.local();
  // The fields of all ranks share the caches of the host.
  RowJob<T> job{tiles, grid.frame<T>(),
                out,   host::exceeds_caches(static_cast<double>(grid.whole().size()) * words(of) * sizeof(T)),
                0,     0};
  host::Call* const call = row_calls<T>()(operation, layout, grid.whole().boundary == Boundary::one_sided);
  if (of.reach > 0) {
    std::vector<TileField<T>> fields;
    with_operation(operation, layout, [&]<Operation o, Layout l>() {
      fields = host::differentiated_fields<T>(expression_of<o, l, MemorySpace::host>(tiles));
    });
    grid.for_rows<T>(fields, of.reach, words_read(of) * sizeof(T), update,
                     [&](std::int64_t j, std::int64_t k, comm::Range x) {
                       job.begin = x.begin;
                       job.end = x.end;
                       call(&job, j, k);
                     });
  } else if (!of.flat) {
    grid.for_runs([&](std::int64_t begin, std::int64_t end) { call(&job, begin, end); });
  } else {
    const std::int64_t adjacent = layout == Layout::aos ? 3 : 1, points = grid.local().size();
    for (std::int64_t first = 0; first < 3 * points; first += adjacent * points)
      grid.for_runs(
          [&](std::int64_t begin, std::int64_t end) { call(&job, first + adjacent * begin, first + adjacent * end); });
  }
}

int differentiated_words(Operation operation) {
  const Grid grid;
  double values[6]{};  // addresses that differ
  const Operands<double> operands{&grid, values, values + 1, values + 2, values + 3, values + 4, values + 5};
  int words = 0;
  with_operation(operation, Layout::aos, [&]<Operation o, Layout l>() {
    for (const TileField<double>& field :
         host::differentiated_fields<double>(expression_of<o, l, MemorySpace::host>(operands)))
      words += field.words;
  });
  return words;
}

template void apply(DistributedGrid&, Operation, Layout, const Operands<float>&, float*, HaloUpdate);
template void apply(DistributedGrid&, Operation, Layout, const Operands<double>&, double*, HaloUpdate);

}  // namespace speedwell::vector_calculus

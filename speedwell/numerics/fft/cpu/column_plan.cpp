#include "speedwell/numerics/fft/cpu/column_plan.hpp"

namespace speedwell::fft {

template <class T>
ColumnPlan<T>::ColumnPlan(std::int64_t n, int threads) : line_(n), team_(threads) {
  team_.reserve(line_.tables().buffer_points());
  team_.allocate();
}

template <class T>
void ColumnPlan<T>::transform(const Complex* in, Complex* out, const Columns& columns, bool backward, T scale) {
  if (columns.blocks < 1 || columns.count < 1) return;
  const LineSet<T> lines{.complex = &line_.tables(),
                         .blocks = columns.blocks,
                         .count = columns.count,
                         .in = reinterpret_cast<const T*>(in),
                         .in_element = 2 * columns.element,
                         .in_block = 2 * columns.block,
                         .out = reinterpret_cast<T*>(out),
                         .out_element = 2 * columns.element,
                         .out_block = 2 * columns.block,
                         .backward = backward,
                         .scale = scale};
  transform_all(team_, lines, columns.blocks * columns.count * line_.tables().n);
}

template class ColumnPlan<float>;
template class ColumnPlan<double>;

}  // namespace speedwell::fft

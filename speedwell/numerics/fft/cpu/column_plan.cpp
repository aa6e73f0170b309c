#include "speedwell/numerics/fft/cpu/column_plan.hpp"

#include "speedwell/core/streaming_wins.hpp"

namespace speedwell::fft {

template <class T>
ColumnPlan<T>::ColumnPlan(std::int64_t n, int threads) : line_(n), team_(threads) {
  team_.reserve(line_.tables().buffer_points());
  team_.allocate();
}

template <class T>
void ColumnPlan<T>::transform(const Complex* in, const Columns& of_in, Complex* out, const Columns& of_out,
                              bool backward, T scale, std::int64_t array_bytes, const T* weights) {
  if (of_in.blocks < 1 || of_in.count < 1) return;
  const auto aligned = [](std::uintptr_t bytes) { return bytes % column_alignment == 0; };
  const auto aligned_points = [&](std::int64_t points) {
    return aligned(static_cast<std::uintptr_t>(points) * sizeof(Complex));
  };
  const bool streamed = in != out && aligned(reinterpret_cast<std::uintptr_t>(out)) && aligned_points(of_out.element) &&
                        aligned_points(of_out.block) && core::streaming_wins(array_bytes);
  const LineSet<T> lines{.complex = &line_.tables(),
                         .blocks = of_in.blocks,
                         .count = of_in.count,
                         .in = reinterpret_cast<const T*>(in),
                         .in_element = 2 * of_in.element,
                         .in_block = 2 * of_in.block,
                         .out = reinterpret_cast<T*>(out),
                         .out_element = 2 * of_out.element,
                         .out_block = 2 * of_out.block,
                         .backward = backward,
                         .scale = scale,
                         .weights = weights,
                         .streamed = streamed};
  transform_all(team_, lines, of_in.blocks * of_in.count * line_.tables().n);
}

template class ColumnPlan<float>;
template class ColumnPlan<double>;

}  // namespace speedwell::fft

// Blocks of columns with one instruction set, one column per lane.
#include "speedwell/apps/two_stream/cpu/cpu_columns.hpp"

#include "speedwell/apps/two_stream/cpu/vector_math.hpp"

namespace speedwell::two_stream::SPEEDWELL_ISA {

ColumnKernels<float> columns_f32() {
  return {VectorMath<float>::width, column_block<VectorMath<float>, false>, column_block<VectorMath<float>, true>,
          coefficient_row<VectorMath<float>>};
}
ColumnKernels<double> columns_f64() {
  return {VectorMath<double>::width, column_block<VectorMath<double>, false>, column_block<VectorMath<double>, true>,
          coefficient_row<VectorMath<double>>};
}

}  // namespace speedwell::two_stream::SPEEDWELL_ISA

// The kernels of the CPU, compiled once for each instruction set from cpu_columns.cpp.
#pragma once

#include <cstdint>

#include "speedwell/apps/two_stream/column_block.hpp"
#include "speedwell/core/simd/isa.hpp"

namespace speedwell::two_stream {

template <class T>
struct ColumnKernels {
  int width;
  void (*block)(const BlockJob<T>& job, std::int64_t first, int vectors, T* scratch);
  void (*row)(const Atmosphere<T>& a, const Terms<T>& terms, bool delta, bool quadratic, const Coefficients<T>& to,
              std::int64_t row, std::int64_t first, std::int64_t end, bool streaming);
};

/// The kernels for `isa`, which this processor must support; the baseline's if the build has no others.
template <class T>
ColumnKernels<T> column_kernels(core::Isa isa);

}  // namespace speedwell::two_stream

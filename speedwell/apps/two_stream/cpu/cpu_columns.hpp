// The kernels of the CPU, compiled once for each instruction set from cpu_columns.cpp.
#pragma once

#include <cstdint>

#include "speedwell/apps/two_stream/column_block.hpp"
#include "speedwell/core/simd/isa.hpp"

namespace speedwell::two_stream {

template <class T>
struct ColumnKernels {
  int width;
  using Block = void (*)(const BlockJob<T>& job, std::int64_t first, int vectors, T* scratch);
  Block block, cloudy_block;  // columns without and with layers of three regions
  void (*row)(const Atmosphere<T>& a, const Terms<T>& terms, bool delta, bool quadratic, const Coefficients<T>& to,
              std::int64_t row, std::int64_t first, std::int64_t end, bool streaming);
  Block block_for(const Atmosphere<T>& a) const { return has_regions(a) ? cloudy_block : block; }
};

/// The kernels for `isa`, which this processor must support; the baseline's if the build has no others.
template <class T>
ColumnKernels<T> column_kernels(core::Isa isa);

}  // namespace speedwell::two_stream

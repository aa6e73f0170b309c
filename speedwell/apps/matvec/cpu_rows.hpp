// The kernel of the CPU, compiled once for each instruction set from cpu_rows.cpp.
#pragma once

#include <cstdint>

#include "speedwell/core/simd/isa.hpp"

namespace speedwell::matvec {

/// c[i * step] = sum over `columns` of a[i * leading + j] b[j], for `rows` rows. The order of each sum depends on
/// `columns` only.
template <class T>
using RowKernel = void(const T* a, std::int64_t leading, const T* b, T* c, std::int64_t step, std::int64_t rows,
                       std::int64_t columns);

struct RowKernels {
  RowKernel<float>* f32;
  RowKernel<double>* f64;
};

/// The kernels for `isa`, which this processor must support; the baseline's if the build has no others.
RowKernels row_kernels(core::Isa isa);

}  // namespace speedwell::matvec

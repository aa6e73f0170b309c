// The study's versions on a GPU. For CUDA sources only.
#pragma once

#include <string_view>

#include "speedwell/apps/vector_calculus/ladder.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::vector_calculus {

/// The fields and numbers of an operation, both in device memory.
template <class T>
struct StudyOperands {
  Operands<T> fields;
  const T* numbers = nullptr;  // 4
};

/// Enqueues out = the operation by a step of the ladder, with vectors in the layout of the step. Throws
/// std::logic_error for a step that does not support the operation, std::invalid_argument for more rows or planes than
/// launches of the study's shape allow (65535 blocks), core::DeviceError.
template <class T>
void study_apply(std::string_view step, Operation operation, const StudyOperands<T>& operands, T* out,
                 const core::Stream& stream);

/// Enqueues the conversion of the vector field `from`, in `layout`, to the other layout.
template <class T>
void restructure(const Grid& grid, Layout layout, const T* from, T* to, const core::Stream& stream);

}  // namespace speedwell::vector_calculus

// The study's versions on a GPU. Included by CUDA sources alone.
#pragma once

#include <string_view>

#include "speedwell/apps/vector_calculus/ladder.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::vector_calculus {

/// An operation's fields in device memory, and its numbers there, too.
template <class T>
struct StudyOperands {
  Operands<T> fields;
  const T* numbers = nullptr;  // 4
};

/// Enqueues out = the operation by a step of the ladder; vectors in the layout that the step wants. Throws
/// std::logic_error for a step that does not have the operation, std::invalid_argument for more rows or planes than
/// launches of the study's shape take (65535 blocks), core::DeviceError.
template <class T>
void study_apply(std::string_view step, Operation operation, const StudyOperands<T>& operands, T* out,
                 const core::Stream& stream);

/// Enqueues `to` = the vector field `from` in the other layout: from `layout`.
template <class T>
void restructure(const Grid& grid, Layout layout, const T* from, T* to, const core::Stream& stream);

}  // namespace speedwell::vector_calculus

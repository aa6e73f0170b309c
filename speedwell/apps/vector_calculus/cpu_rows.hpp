// Interface of the file that is compiled for each instruction set.
#pragma once

#include "speedwell/apps/vector_calculus/cores.hpp"
#include "speedwell/apps/vector_calculus/frame.hpp"
#include "speedwell/apps/vector_calculus/operation.hpp"

namespace speedwell::vector_calculus {

template <class T>
struct RowJob {
  Operands<T> operands;
  Frame<T> frame;
  T* out;
  bool streaming;
};

/// Returns the function that evaluates a RowJob: by rows if derivatives are taken, otherwise by words for a flat
/// operation or by points.
using RowCallOf = host::Call*(Operation operation, Layout layout, bool sided);

}  // namespace speedwell::vector_calculus

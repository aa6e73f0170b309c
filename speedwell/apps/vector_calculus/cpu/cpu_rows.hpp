// Interface of the file that is compiled for each instruction set.
#pragma once

#include "speedwell/apps/vector_calculus/cpu/cores.hpp"
#include "speedwell/apps/vector_calculus/frame.hpp"
#include "speedwell/apps/vector_calculus/operations/operation.hpp"

namespace speedwell::vector_calculus {

template <class T>
struct RowJob {
  Operands<T> operands;
  HostFrame<T> frame;
  T* out;
  bool streaming;
  std::int64_t begin, end;  // of the points of a row, if derivatives are taken
};

/// Returns the function that evaluates a RowJob: by rows if derivatives are taken, otherwise by words for a flat
/// operation or by points.
using RowCallOf = host::Call*(Operation operation, Layout layout, bool sided);

/// That of the widest instruction set of this processor.
template <class T>
RowCallOf* row_calls();

}  // namespace speedwell::vector_calculus

// What the file that is compiled for each instruction set gives to those that are not.
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

/// What evaluates a RowJob: rows where derivatives are taken, else words of a flat operation or points.
using RowCallOf = host::Call*(Operation operation, Layout layout, bool sided);

}  // namespace speedwell::vector_calculus

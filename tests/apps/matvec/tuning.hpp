// Tunings of the best GPU variant's kernels, to be timed side by side on one GPU.
#pragma once

#include <span>
#include <string_view>

#include "speedwell/apps/matvec/cuda.hpp"

namespace speedwell::matvec {

template <class T>
struct Alternative {
  std::string_view name;
  Multiply<T>* function;  // for operands on 16 bytes and rows of at least a warp's batch
};

template <class T>
std::span<const Alternative<T>> alternatives();

}  // namespace speedwell::matvec

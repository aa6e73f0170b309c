// The application's operations in host memory.
#pragma once

#include "speedwell/apps/vector_calculus/operations/operation.hpp"

namespace speedwell::vector_calculus {

/// out = the operation on `operands`, with vectors in `layout`, on all cores (threads 0: OpenMP's default). Chains take
/// one pass. Throws std::invalid_argument as require_grid() and for threads < 0.
template <class T>
void apply(Operation operation, Layout layout, const Operands<T>& operands, T* out, int threads = 0);

/// The same, point by point on one thread.
template <class T>
void apply_serially(Operation operation, Layout layout, const Operands<T>& operands, T* out);

/// Intermediate results of a chain: 3 grid.size() words each for t, u and w.
template <class T>
struct Between {
  T *t = nullptr, *u = nullptr, *w = nullptr;
};

/// The operands and the result of one operation of a chain.
template <class T>
struct ChainCall {
  Operands<T> operands;
  T* out;
};
template <class T>
ChainCall<T> call_of_step(const ChainStep& step, const Operands<T>& chain, const Between<T>& between, T* out) {
  const auto field = [&](char name) -> const T* {
    switch (name) {
      case 'f':
        return chain.f;
      case 'g':
        return chain.g;
      case 'a':
        return chain.a;
      case 'b':
        return chain.b;
      case 't':
        return between.t;
      case 'u':
        return between.u;
      default:
        return between.w;
    }
  };
  const OperationInfo& of = info(step.operation);
  ChainCall<T> call{{.grid = chain.grid}, step.out == 'o' ? out : const_cast<T*>(field(step.out))};
  (of.scalars > 0 ? call.operands.f : call.operands.a) = field(step.first);
  if (step.second != 0) (of.scalars > 0 ? call.operands.a : call.operands.b) = field(step.second);
  call.operands.s[0] = step.number < 0 ? T(-1) : chain.s[0];
  return call;
}

}  // namespace speedwell::vector_calculus

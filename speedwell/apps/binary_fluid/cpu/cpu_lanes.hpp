// Loads and stores of vectors of R from memory of type S, for sources that are compiled once for each instruction set.
#pragma once

#include "speedwell/core/simd/simd.hpp"

namespace speedwell::binary_fluid::SPEEDWELL_ISA {
namespace {

using core::simd::Vector;
using core::simd::width;

template <class S, class R>
Vector<R> load(const S* p) {
  if constexpr (sizeof(S) == sizeof(R)) {
    return core::simd::load(p);
  } else {
    typedef S Half __attribute__((vector_size(core::simd::vector_bytes / 2)));
    Half half;
    __builtin_memcpy(&half, p, sizeof half);
    return __builtin_convertvector(half, Vector<R>);
  }
}
template <class S, class R>
void store(S* p, Vector<R> v) {
  if constexpr (sizeof(S) == sizeof(R)) {
    core::simd::store(p, v);
  } else {
    typedef S Half __attribute__((vector_size(core::simd::vector_bytes / 2)));
    const Half half = __builtin_convertvector(v, Half);
    __builtin_memcpy(p, &half, sizeof half);
  }
}

}  // namespace
}  // namespace speedwell::binary_fluid::SPEEDWELL_ISA

// Declarations of, and the choice among, what speedwell_add_simd() compiles once for each instruction set. For the
// sources of the libraries; the build defines SPEEDWELL_WITH_... for the instruction sets that it has code for besides
// the baseline.
#pragma once

#include "speedwell/core/simd/isa.hpp"

/// Puts the declarations into the namespaces of all instruction sets. Those without code stay declarations.
#define SPEEDWELL_IN_EACH_ISA(...) \
  namespace baseline {             \
  __VA_ARGS__                      \
  }                                \
  namespace sse41 {                \
  __VA_ARGS__                      \
  }                                \
  namespace avx2 {                 \
  __VA_ARGS__                      \
  }                                \
  namespace avx512 {               \
  __VA_ARGS__                      \
  }

#if defined(SPEEDWELL_WITH_avx512)
#define SPEEDWELL_IF_AVX512(isa, ...) (isa) == ::speedwell::core::Isa::avx512 ? avx512::__VA_ARGS__:
#else
#define SPEEDWELL_IF_AVX512(isa, ...)
#endif
#if defined(SPEEDWELL_WITH_avx2)
#define SPEEDWELL_IF_AVX2(isa, ...) (isa) == ::speedwell::core::Isa::avx2 ? avx2::__VA_ARGS__:
#else
#define SPEEDWELL_IF_AVX2(isa, ...)
#endif
/// The expression qualified with the namespace of the instruction set, of the baseline if the build has no code for it:
/// SPEEDWELL_OF_ISA(isa, rows(n)) is avx2::rows(n) where `isa` is AVX2. Its type must be the same in all of them.
#define SPEEDWELL_OF_ISA(isa, ...) \
  (SPEEDWELL_IF_AVX512(isa, __VA_ARGS__) SPEEDWELL_IF_AVX2(isa, __VA_ARGS__) baseline::__VA_ARGS__)
/// The same for files that are compiled for all instruction sets in every build, SSE4.1 included.
#if defined(__x86_64__)
#define SPEEDWELL_OF_EVERY_ISA(isa, ...)                          \
  ((isa) == ::speedwell::core::Isa::avx512  ? avx512::__VA_ARGS__ \
   : (isa) == ::speedwell::core::Isa::avx2  ? avx2::__VA_ARGS__   \
   : (isa) == ::speedwell::core::Isa::sse41 ? sse41::__VA_ARGS__  \
                                            : baseline::__VA_ARGS__)
#else
#define SPEEDWELL_OF_EVERY_ISA(isa, ...) ((void)(isa), baseline::__VA_ARGS__)
#endif

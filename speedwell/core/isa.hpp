// Which of the instruction sets that files are compiled for (speedwell_add_simd) this processor has.
//
// A file compiled several times puts its functions in namespace SPEEDWELL_ISA, takes raw pointers, and includes only
// what cannot leave weak copies of standard functions behind; simd.hpp has vectors for it. Its caller declares the
// namespaces and picks one:
//   switch (core::best_isa()) { case core::Isa::avx512: return avx512::triad(…); … }
#pragma once

#include <string_view>

namespace speedwell::core {

enum class Isa {
  baseline,  // the compiler's default target; on x86-64, SSE2
  sse41,     // SSE4.1, which first has maxima of every lane; for files that ask for it, else like baseline
  avx2,      // x86-64-v3
  avx512,    // x86-64-v4: AVX-512 F, BW, CD, DQ, VL
};

/// The widest instruction set that both the processor and the operating system support.
Isa best_isa();
std::string_view to_string(Isa isa);

}  // namespace speedwell::core

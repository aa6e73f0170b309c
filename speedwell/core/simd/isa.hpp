// Which of the instruction sets that files are compiled for (speedwell_add_simd) this processor has.
//
// A file compiled several times puts its functions in namespace SPEEDWELL_ISA, takes raw pointers, and includes only
// what cannot leave weak copies of standard functions behind; simd.hpp has vectors for it. Its caller declares the
// namespaces and chooses one with isa_choice.hpp:
//   SPEEDWELL_IN_EACH_ISA(void triad(const double* x, double* y);)
//   … SPEEDWELL_OF_ISA(core::best_isa(), triad)(x, y);
#pragma once

#include <string_view>

namespace speedwell::core {

enum class Isa {
  baseline,  // the compiler's default target; on x86-64, SSE2
  sse41,     // SSE4.1, which first has maxima of every lane; for files that ask for it, else like baseline
  avx2,      // x86-64-v3
  avx512,    // x86-64-v4: AVX-512 F, BW, CD, DQ, VL
};

/// Whether the processor and the operating system support the instruction set.
bool is_supported(Isa isa);
/// Whether they do, and this build has code for it (SPEEDWELL_INSTRUCTION_SETS).
bool is_available(Isa isa);
/// The widest instruction set that is available.
Isa best_isa();
/// Throws std::invalid_argument unless the instruction set is supported.
void require_supported(Isa isa);
/// Throws std::invalid_argument unless the instruction set is available.
void require_available(Isa isa);
std::string_view to_string(Isa isa);

}  // namespace speedwell::core

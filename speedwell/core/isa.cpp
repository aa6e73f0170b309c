#include "speedwell/core/isa.hpp"

namespace speedwell::core {

Isa best_isa() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v4")) return Isa::avx512;
  if (__builtin_cpu_supports("x86-64-v3")) return Isa::avx2;
  if (__builtin_cpu_supports("sse4.1")) return Isa::sse41;
#endif
  return Isa::baseline;
}

std::string_view to_string(Isa isa) {
  switch (isa) {
    case Isa::avx512:
      return "avx512";
    case Isa::avx2:
      return "avx2";
    case Isa::sse41:
      return "sse41";
    case Isa::baseline:
      break;
  }
  return "baseline";
}

}  // namespace speedwell::core

#include "speedwell/core/simd/isa.hpp"

#include <stdexcept>
#include <string>

namespace speedwell::core {
namespace {

bool has_code(Isa isa) {
  switch (isa) {
    case Isa::avx512:
#if !defined(SPEEDWELL_WITH_avx512)
      return false;
#else
      return true;
#endif
    case Isa::avx2:
#if !defined(SPEEDWELL_WITH_avx2)
      return false;
#else
      return true;
#endif
    case Isa::sse41:  // like the baseline, but in files that are compiled for every instruction set
    case Isa::baseline:
      break;
  }
  return true;
}

}  // namespace

bool is_supported(Isa isa) {
  switch (isa) {
#if defined(__x86_64__)
    case Isa::avx512:
      return __builtin_cpu_supports("x86-64-v4");
    case Isa::avx2:
      return __builtin_cpu_supports("x86-64-v3");
    case Isa::sse41:
      return __builtin_cpu_supports("sse4.1");
#endif
    default:
      return isa == Isa::baseline;
  }
}

bool is_available(Isa isa) { return has_code(isa) && is_supported(isa); }

Isa best_isa() {
  for (const Isa isa : {Isa::avx512, Isa::avx2, Isa::sse41})
    if (is_available(isa)) return isa;
  return Isa::baseline;
}

void require_supported(Isa isa) {
  if (!is_supported(isa))
    throw std::invalid_argument("this processor does not have the instruction set " + std::string(to_string(isa)));
}

void require_available(Isa isa) {
  require_supported(isa);
  if (!has_code(isa))
    throw std::invalid_argument("this build has no code for the instruction set " + std::string(to_string(isa)));
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

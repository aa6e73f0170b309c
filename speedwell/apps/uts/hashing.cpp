#include "speedwell/apps/uts/hashing.hpp"

#include <vector>

#include "speedwell/core/simd/isa_choice.hpp"

#ifdef __x86_64__
#include <cpuid.h>

#include "speedwell/apps/uts/hash_sha_ni.hpp"
#endif

namespace speedwell::uts {

SPEEDWELL_IN_EACH_ISA(Hasher hasher(const char* name);)

namespace {

#ifdef __x86_64__
bool has_sha_instructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_SHA)) return false;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_1);
}
#endif

std::vector<Hasher> all_hashers() {
  std::vector<Hasher> all;
#if defined(SPEEDWELL_WITH_avx512)
  if (core::is_available(core::Isa::avx512)) all.push_back(avx512::hasher("AVX-512, 16 lanes"));
#endif
#ifdef __x86_64__
  if (has_sha_instructions()) all.push_back(sha_ni::hasher());
#endif
#if defined(SPEEDWELL_WITH_avx2)
  if (core::is_available(core::Isa::avx2)) all.push_back(avx2::hasher("AVX2, 8 lanes"));
#endif
  all.push_back(baseline::hasher("4 lanes"));
  return all;
}

}  // namespace

std::span<const Hasher> hashers() {
  static const std::vector<Hasher> all = all_hashers();
  return all;
}

}  // namespace speedwell::uts

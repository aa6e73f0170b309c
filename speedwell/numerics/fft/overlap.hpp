// A test whether two ranges of memory overlap.
#pragma once

#include <cstddef>
#include <functional>

namespace speedwell::fft {

inline bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto* p = static_cast<const std::byte*>(a);
  const auto* q = static_cast<const std::byte*>(b);
  const std::less<> before;  // a total order, also of pointers into different arrays
  return a_bytes > 0 && b_bytes > 0 && before(p, q + b_bytes) && before(q, p + a_bytes);
}

}  // namespace speedwell::fft

// Comparison of arrays that must be equal to the last bit, signed zeros and NaN included.
#pragma once

#include <cstring>

namespace speedwell::test {

/// Whether two vectors, spans or buffers have the same size and the same bits.
template <class Array>
bool same_bits(const Array& a, const Array& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(*a.data())) == 0;
}

}  // namespace speedwell::test

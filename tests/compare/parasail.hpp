// Scores of the parasail library, where it was found (parasail.cpp); else available() is false.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace speedwell::parasail {

bool available();

/// A scoring system in parasail's words: a matrix of its own, or match and mismatch of A, C, G, T; `open` is what the
/// first letter of a gap costs.
struct System {
  const char* matrix = nullptr;
  int match = 0, mismatch = 0;
  int open = 0, extend = 0;
};

/// scores[i * b.size() + j]: Smith-Waterman of a[i] with b[j].
std::vector<std::int32_t> scores(const std::vector<std::string>& a, const std::vector<std::string>& b,
                                 const System& system);

}  // namespace speedwell::parasail

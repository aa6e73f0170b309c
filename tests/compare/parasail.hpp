// Scores and ends of the parasail library, where it was found (parasail.cpp); else available() is false.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace speedwell::parasail {

bool available();

/// A scoring system in parasail's words: a matrix of its own, or a table for `alphabet` (if one is '*', the last), or
/// match and mismatch of A, C, G, T; `open` is what the first residue of a gap costs.
struct System {
  const char* matrix = nullptr;
  int match = 0, mismatch = 0;
  int open = 0, extend = 0;
  std::string alphabet{};
  std::vector<int> table{};  // row-major, alphabet.size() squared
};

/// The last cell of a best alignment, counted from 1: the one with the smallest query end, then the smallest subject
/// end. The ends of a score of 0 mean nothing.
struct End {
  std::int32_t score, query_end, subject_end;
};

/// ends[i * b.size() + j]: of a[i] with b[j]. Matrices are taken to be symmetric.
std::vector<End> ends(const std::vector<std::string>& a, const std::vector<std::string>& b, const System& system,
                      int threads = 1);

/// Their scores.
std::vector<std::int32_t> scores(const std::vector<std::string>& a, const std::vector<std::string>& b,
                                 const System& system);

}  // namespace speedwell::parasail

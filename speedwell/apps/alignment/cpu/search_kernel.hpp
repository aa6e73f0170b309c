// The inner loops of the CPU search, compiled once for each instruction set: one query against as many subjects as a
// vector has lanes. Raw pointers only, see core/isa.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace speedwell::alignment {

/// Code of the columns past a subject's end: scores 0 or less with everything, so that it raises no maximum.
inline constexpr int padding_code = 31;

/// One query and one subject per lane. Scores of a lane are kept as `offset + score` in its narrow type.
struct LaneBatch {
  const std::uint8_t* query;
  std::size_t query_length;
  const std::uint8_t* query_symbols;  // the different codes of the query
  int query_symbol_count;
  const std::uint8_t* const* subjects;  // one for each lane
  const std::size_t* lengths;           // 0 for a lane without a subject
  const std::int8_t* scores;            // 32 x 32; column padding_code is 0
  std::int64_t gap_first;               // cost of a gap of one residue
  std::int64_t gap_next;                // cost of each further residue
  std::int64_t margin;                  // gap_first + gap_next or more, and not below -(lowest score)
  std::int64_t highest;                 // highest score of the matrix, at least 0
  unsigned char* workspace;             // workspace_bytes(query_length), aligned to 64 bytes
  std::int64_t* results;                // one for each lane: the score, or -1 where it may not fit the lane's type
};

/// The same function for lanes of 8, 16 and 32 bits.
struct LaneKernel {
  int lanes;
  std::int64_t capacity;  // largest score that fits if margin and highest were 0
  void (*score)(const LaneBatch& batch);
};
struct SearchKernels {
  LaneKernel bits8, bits16, bits32;
  int vector_bytes;
};

inline constexpr std::size_t workspace_bytes(std::size_t query_length, int vector_bytes) {
  return 2 * query_length * static_cast<std::size_t>(vector_bytes);
}

namespace baseline {
extern const SearchKernels search_kernels;
}
#if defined(__x86_64__)
namespace sse41 {
extern const SearchKernels search_kernels;
}
namespace avx2 {
extern const SearchKernels search_kernels;
}
namespace avx512 {
extern const SearchKernels search_kernels;
}
#endif

}  // namespace speedwell::alignment

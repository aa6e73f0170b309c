// The inner loop of cross_check.hpp, compiled once for each instruction set. Raw pointers only, see core/isa.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace speedwell::alignment::cross_check {

/// One sequence (the rows) against a queue of others (the columns): each lane takes the next sequence of the queue when
/// it has computed its last.
struct LaneQueue {
  const std::uint8_t* rows;
  std::size_t row_count;
  const std::uint8_t* row_symbols;  // the different codes among them
  int row_symbol_count;
  const std::uint8_t* const* columns;  // residues of each sequence of the queue
  const std::size_t* column_counts;
  std::size_t queued;
  const std::int8_t* scores;         // [code of a row * 32 + code of a column]
  std::int32_t gap_first, gap_next;  // their sum does not exceed what a lane holds, nor does any score
  unsigned char* state;              // 2 * row_count vectors of vector_bytes, aligned to 64 bytes
  std::int32_t* results;             // score of each sequence of the queue
};

inline constexpr std::size_t vector_bytes = 64;
struct QueueKernels {
  void (*in_16_bits)(const LaneQueue&);
  void (*in_32_bits)(const LaneQueue&);
};

namespace baseline {
extern const QueueKernels queue_kernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const QueueKernels queue_kernels;
}
namespace avx512 {
extern const QueueKernels queue_kernels;
}
#endif

}  // namespace speedwell::alignment::cross_check

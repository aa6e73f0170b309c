// The launches of the GPU search, between cuda.cu (kernels) and gpu_search.cu (memory). Pointers are device memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "speedwell/apps/alignment/cell.hpp"
#include "speedwell/apps/alignment/search_plan.hpp"
#include "speedwell/apps/alignment/tile.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::alignment {

/// A query's letters are codes[begin] ... codes[begin + length - 1].
struct QuerySpan {
  std::uint64_t begin;
  std::int32_t length;
};

/// Everything that a search reads and writes on the device.
struct SearchData {
  // database
  const std::uint8_t* letters = nullptr;        // two bytes a column, see PairedSubjects
  const std::uint64_t* first_column = nullptr;  // pairs + 1
  const std::uint32_t* order = nullptr;         // 2 * pairs
  const std::uint32_t* place = nullptr;         // subjects
  std::size_t subjects = 0;
  // queries
  const std::uint8_t* query_codes = nullptr;
  const QuerySpan* queries = nullptr;            // in the input's order
  const std::uint32_t* longest_first = nullptr;  // indices of queries
  std::uint32_t query_count = 0;
  // scoring
  const std::int8_t* scores = nullptr;  // 32 x 32, query letter by subject letter
  int alphabet_letters = 0;
  CellConstants constants16, constants32;
  std::int32_t limit16 = 0;  // a 16-bit score above it has to be computed again
  // work
  const Chunk* chunks = nullptr;
  std::uint32_t chunk_count = 0;
  unsigned long long* next_item = nullptr;  // of chunk_count * query_count
  Border* scratch = nullptr;
  std::uint64_t scratch_columns16 = 0;  // of one block
  std::uint64_t scratch_columns32 = 0;  // of one block of the 32-bit kernel
  std::uint32_t* wide_list = nullptr;   // wide_window entries: results to compute in 32 bits
  unsigned int* wide_count = nullptr;
  std::int32_t* results = nullptr;  // query_count x subjects
};

/// Results are looked through for pairs that need 32 bits in windows of this many, which bounds the list of such pairs.
inline constexpr std::size_t wide_window = std::size_t{1} << 22;
/// Rows a lane holds in the 32-bit kernel.
inline constexpr int wide_strip = 16;

/// Blocks of the 16-bit and of the 32-bit kernel that one multiprocessor holds.
int blocks_per_multiprocessor16(int profile_bytes);
int blocks_per_multiprocessor32(int alphabet_letters);
/// Shared memory for the profiles of tiles with `strip` rows a lane.
int profile_bytes(int strip, int alphabet_letters);

/// Interleaves `codes` (packed, subject i from offsets[i]) into pairs' letters.
void enqueue_pack(const std::uint8_t* codes, const std::uint64_t* offsets, const std::uint64_t* first_column,
                  const std::uint32_t* order, std::size_t pairs, std::uint64_t columns, int alphabet_letters,
                  std::uint8_t* letters, const core::Stream& stream);
/// Scores of every query against every subject in 16 bits; those beyond 16 bits are left as a mark.
void enqueue_search16(const SearchData& data, int blocks, int profile_bytes, const core::Stream& stream);
/// Replaces the marks by scores computed in 32 bits.
void enqueue_search32(const SearchData& data, int blocks, const core::Stream& stream);

}  // namespace speedwell::alignment

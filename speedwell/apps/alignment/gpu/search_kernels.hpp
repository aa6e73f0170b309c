// The launches of the GPU search, between search_kernels.cu (kernels) and gpu_search.cu (memory). All pointers are to
// device memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "speedwell/apps/alignment/gpu/search_data.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::alignment {

/// Results are scanned for pairs that need 32 bits in windows of this size, which limits the list of such pairs.
inline constexpr std::size_t wide_window = std::size_t{1} << 22;

/// Resident blocks per multiprocessor of the kernel for pairs (with this search's scoring) and of the 32-bit kernel.
int pair_blocks_per_multiprocessor(const SearchData& data, int profile_bytes);
int blocks_per_multiprocessor32(int alphabet_size);

/// Writes the residues of `columns` columns, a multiple of four.
void enqueue_pack(const PackSource& source, std::uint64_t columns, std::uint8_t* residues, const core::Stream& stream);
/// Scores of every query against every subject, two subjects per word; scores above data.limit are replaced by a mark.
void enqueue_pairs(const SearchData& data, int blocks, int profile_bytes, const core::Stream& stream);
/// Replaces the marks by scores computed in 32 bits.
void enqueue_search32(const SearchData& data, int blocks, const core::Stream& stream);

}  // namespace speedwell::alignment

// The launches of GpuSimilar's kernels. Included by CUDA sources only.
#pragma once

#include <cstdint>

#include "speedwell/apps/ssca1/gpu/gpu_device.hpp"
#include "speedwell/apps/ssca1/gpu/kernel3/kernel3_errors.hpp"
#include "speedwell/apps/ssca1/gpu/kernel3/kernel3_region_choice.hpp"
#include "speedwell/apps/ssca1/gpu/kernel3/kernel3_regions.hpp"

namespace speedwell::ssca1 {

/// Allows kernels to use more shared memory than the default. `rows`: one of query_rows.
void allow_shared_bytes(int rows, int symbols);

/// Sweeps pairs of queries through all columns, one thread per section.
void sweep_pairs(int rows, const RegionSearch& search, const QueryPair* pairs, std::size_t count, std::int64_t section,
                 const core::Stream& stream);
/// Computes score[query] of queries 0 … count - 1.
void guess_scores(const RegionSearch& search, std::size_t count, std::int64_t wanted, std::int32_t* score,
                  const core::Stream& stream);
/// Computes the filter's words. `masks`: as build_matches() needs them.
void write_matches(const MatchLayout& layout, const std::uint8_t* main, const std::uint32_t* masks, int symbols,
                   std::uint32_t* matches, const core::Stream& stream);
/// Computes the chunks of each query.
void filter_chunks(const RegionSearch& search, const ErrorSearch& errors, const ErrorQuery* wanted, std::size_t count,
                   const core::Stream& stream);
/// Computes the cells of the chunks of `count` queries of up to `rows` symbols.
void sweep_chunks(int rows, const RegionSearch& search, const ErrorSearch& errors, const ErrorQuery* wanted,
                  std::size_t count, const core::Stream& stream);
/// Selects the regions of each of `count` queries.
void choose(const RegionSearch& search, const RegionChoice& choice, const std::int32_t* queries, std::size_t count,
            const core::Stream& stream);

}  // namespace speedwell::ssca1

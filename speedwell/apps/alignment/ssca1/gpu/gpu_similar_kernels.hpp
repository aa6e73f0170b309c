// The launches of GpuSimilar's kernels. Included by CUDA sources alone.
#pragma once

#include <cstdint>

#include "speedwell/apps/alignment/ssca1/gpu/gpu_device.hpp"
#include "speedwell/apps/alignment/ssca1/gpu/gpu_errors.hpp"
#include "speedwell/apps/alignment/ssca1/gpu/gpu_place_choice.hpp"
#include "speedwell/apps/alignment/ssca1/gpu/gpu_places.hpp"

namespace speedwell::alignment::ssca1 {

/// For kernels that use more shared memory than the usual. `rows`: of query_rows.
void allow_shared_bytes(int rows, int symbols);

/// Pairs of queries through all columns, a thread for each section.
void sweep_pairs(int rows, const PlaceSearch& search, const QueryPair* pairs, std::size_t count, std::int64_t section,
                 const core::Stream& stream);
/// score[query] of queries 0 … count - 1.
void guess_scores(const PlaceSearch& search, std::size_t count, std::int64_t wanted, std::int32_t* score,
                  const core::Stream& stream);
/// The filter's words. `masks`: as build_matches takes them.
void write_matches(const MatchLayout& layout, const std::uint8_t* main, const std::uint32_t* masks, int symbols,
                   std::uint32_t* matches, const core::Stream& stream);
/// The chunks of each wanted query.
void filter_chunks(const PlaceSearch& search, const ErrorSearch& errors, const ErrorQuery* wanted, std::size_t count,
                   const core::Stream& stream);
/// The chunks of `count` queries that take up to `rows`, cell by cell.
void sweep_chunks(int rows, const PlaceSearch& search, const ErrorSearch& errors, const ErrorQuery* wanted,
                  std::size_t count, const core::Stream& stream);
/// The choice of each of `count` queries.
void choose(const PlaceSearch& search, const PlaceChoice& choice, const std::int32_t* queries, std::size_t count,
            const core::Stream& stream);

}  // namespace speedwell::alignment::ssca1

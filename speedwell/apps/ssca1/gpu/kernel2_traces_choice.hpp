// The selection of alignments from those that the kernel of GpuTraces found, in the order of scan_backward. Host code
// only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "speedwell/apps/ssca1/gpu/kernel2_backwards.hpp"
#include "speedwell/apps/ssca1/ssca1.hpp"

namespace speedwell::ssca1 {

/// The capacity of each block, and the maximum number of runs of an alignment: far above the needs of random data.
inline constexpr std::int64_t max_kept_cells = 1 << 16, max_kept_diagonals = 4096;
inline constexpr std::int32_t max_cigar_runs = 256;

/// A power of two that is larger than the number of cells of any diagonal.
inline std::int64_t diagonal_ring(std::size_t main_length, std::size_t match_length) {
  std::int64_t ring = 1;
  while (ring < static_cast<std::int64_t>(std::min(main_length, match_length)) + 2) ring *= 2;
  return ring;
}

/// `cigar_of(k)`: the alignment of endpoint k.
template <class CigarOf>
Traced choose_alignments(std::span<const Endpoint> endpoints, std::span<const TracedStart> starts,
                         const TraceRules& rules, const CigarOf& cigar_of) {
  Traced traced;
  for (std::size_t k = 0; k < endpoints.size() && traced.alignments.size() < rules.count; ++k) {
    const Endpoint& end = endpoints[k];
    const TracedStart& start = starts[k];
    const std::int64_t main_begin = end.main - start.x + 1, match_begin = end.match - start.y + 1;
    const auto close = [&](const LocalAlignment& a) {
      return std::abs(a.main_begin - main_begin) < rules.separation &&
             std::abs(a.match_begin - match_begin) < rules.separation;
    };
    if (start.x == 0)
      ++traced.without_path;
    else if (start.x == 1 && start.y == 1)
      ++traced.single_pairs;
    else if (std::any_of(traced.alignments.begin(), traced.alignments.end(), close))
      traced.close_starts.push_back(end);
    else
      traced.alignments.push_back({end.score, main_begin, end.main, match_begin, end.match, cigar_of(k)});
  }
  return traced;
}

inline std::vector<CigarRun> to_cigar(const std::uint32_t* runs, std::int32_t count) {
  std::vector<CigarRun> cigar;
  cigar.reserve(static_cast<std::size_t>(count));
  for (std::int32_t k = 0; k < count; ++k)
    cigar.push_back({run_operations[runs[k] >> 30], static_cast<std::int64_t>(runs[k] & 0x3fffffffu)});
  return cigar;
}

}  // namespace speedwell::ssca1

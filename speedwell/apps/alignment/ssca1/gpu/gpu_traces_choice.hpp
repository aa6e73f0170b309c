// The selection of alignments from those that the kernel of GpuTraces found, in the order of scan_backward. Host code
// only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "speedwell/apps/alignment/ssca1/gpu/gpu_backwards.hpp"
#include "speedwell/apps/alignment/ssca1/ssca1.hpp"

namespace speedwell::alignment::ssca1 {

/// The capacity of each block, and the maximum number of runs of a path: far above the needs of random data.
inline constexpr std::int64_t max_kept_cells = 1 << 16, max_kept_diagonals = 4096;
inline constexpr std::int32_t max_path_runs = 256;

/// A power of two that is larger than the number of cells of any diagonal.
inline std::int64_t diagonal_ring(std::size_t main_length, std::size_t match_length) {
  std::int64_t ring = 1;
  while (ring < static_cast<std::int64_t>(std::min(main_length, match_length)) + 2) ring *= 2;
  return ring;
}

/// `path(k)`: the path of endpoint k.
template <class Path>
Traced choose_alignments(std::span<const Endpoint> endpoints, std::span<const TracedStart> starts,
                         const TraceRules& rules, const Path& path) {
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
      traced.alignments.push_back({end.score, main_begin, end.main, match_begin, end.match, path(k)});
  }
  return traced;
}

inline std::vector<Columns> to_path(const std::uint32_t* runs, std::int32_t count) {
  std::vector<Columns> path;
  path.reserve(static_cast<std::size_t>(count));
  for (std::int32_t k = 0; k < count; ++k)
    path.push_back({run_operations[runs[k] >> 30], static_cast<std::int64_t>(runs[k] & 0x3fffffffu)});
  return path;
}

}  // namespace speedwell::alignment::ssca1

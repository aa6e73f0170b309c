#include "speedwell/apps/vector_calculus/cpu/cores.hpp"

#include <unistd.h>

#include <algorithm>

#include "speedwell/core/parts.hpp"
#include "speedwell/core/team_member.hpp"
#include "speedwell/numerics/streaming.hpp"

namespace speedwell::vector_calculus::host {

// The planes of a strip fit into half of a second-level cache of 1 MiB, the minimum of current cores.
constexpr std::int64_t strip_bytes = 512 * 1024;

std::int64_t strip_rows(const Grid& grid, std::int64_t point_bytes, int reach) {
  const std::int64_t row_bytes = std::max<std::int64_t>((1 + 2 * reach) * point_bytes, 1) * grid.nx;
  return std::clamp<std::int64_t>(strip_bytes / row_bytes, std::min<std::int64_t>(4, grid.ny), grid.ny);
}

void for_each_row(const Grid& grid, std::int64_t point_bytes, int reach, int threads, Call* row, const void* what) {
  const std::int64_t ny = grid.ny, nz = grid.nz, strip = strip_rows(grid, point_bytes, reach);
  const std::int64_t useful =
      std::max<std::int64_t>(grid.size() / 4096, 1);  // starting a thread costs more than 4096 points
  const int team = static_cast<int>(std::min<std::int64_t>(core::resolve_threads(threads), useful));
#pragma omp parallel num_threads(team) if (team > 1)
  {
    const core::TeamMember member = core::team_member();
    const std::int64_t rank = member.index, ranks = member.size;
    // With few planes rows are divided instead, so that every thread has work.
    if (nz < 2 * ranks) {
      for (std::int64_t r = ny * nz * rank / ranks; r < ny * nz * (rank + 1) / ranks; ++r) row(what, r % ny, r / ny);
    } else {
      for (std::int64_t j0 = 0; j0 < ny; j0 += strip)
        for (std::int64_t k = nz * rank / ranks; k < nz * (rank + 1) / ranks; ++k)
          for (std::int64_t j = j0; j < std::min(ny, j0 + strip); ++j) row(what, j, k);
    }
    numerics::streaming::fence();
  }
}

void parallel_for(std::int64_t n, std::int64_t bytes, int threads, Call* part, const void* what) {
  core::parallel_for(static_cast<std::size_t>(n), static_cast<std::size_t>(bytes), threads,
                     [&](std::size_t begin, std::size_t end) {
                       part(what, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end));
                     });
}

// See core::streaming_wins().
bool exceeds_caches(double bytes) {
  static const double cache = static_cast<double>(std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), long{1} << 20));
  static const double share = 16.0 * (1 << 20) * static_cast<double>(std::max(sysconf(_SC_NPROCESSORS_ONLN), long{1}));
  return bytes > std::min(cache, share);
}

}  // namespace speedwell::vector_calculus::host

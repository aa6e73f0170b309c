// Division of an evaluation on the host among threads. The threads are the library's, whatever a user's files are
// compiled with.
#pragma once

#include "speedwell/apps/vector_calculus/grid.hpp"

namespace speedwell::vector_calculus::host {

/// The function of an evaluation: processes row (a, b) = (j, k), or the words or points from a to b.
using Call = void(const void* what, std::int64_t a, std::int64_t b);

/// Calls row(what, j, k) for every row of the grid, each once, on `threads` threads (0: OpenMP's default). Threads have
/// contiguous planes and process them in strips of rows, short enough that 1 + 2 reach planes of `point_bytes` per
/// point stay in a core's cache. `row` must not throw; it may store past the caches. Throws std::invalid_argument for
/// threads < 0.
void for_each_row(const Grid& grid, std::int64_t point_bytes, int reach, int threads, Call* row, const void* what);

/// The rows of such a strip.
std::int64_t strip_rows(const Grid& grid, std::int64_t point_bytes, int reach);

/// Calls part(what, begin, end) for contiguous parts of n items of `bytes` each.
void parallel_for(std::int64_t n, std::int64_t bytes, int threads, Call* part, const void* what);

/// Whether non-temporal stores are faster for an evaluation that accesses `bytes` of memory.
bool exceeds_caches(double bytes);

}  // namespace speedwell::vector_calculus::host

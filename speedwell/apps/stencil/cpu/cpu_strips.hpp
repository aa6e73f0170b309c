// Division of a box among threads, and of a thread's share into strips whose planes stay in its core's cache.
#pragma once

#include <algorithm>
#include <cstdint>

#include "speedwell/apps/stencil/cpu/cpu_rows.hpp"
#include "speedwell/apps/stencil/stencil.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/core/team_member.hpp"

namespace speedwell::stencil {

// Three planes of a strip occupy half of a second-level cache of 1 MiB, the minimum of current server cores.
inline constexpr std::int64_t strip_bytes = 512 * 1024;
inline constexpr std::int64_t block_side = 8;  // the block size of the study on a CPU
inline constexpr std::int64_t min_rows = 4;    // minimum rows per thread, since halo rows are read, too

template <class T>
std::int64_t strip_rows(const Grid& g) {
  return std::clamp<std::int64_t>(strip_bytes / (3 * static_cast<std::int64_t>(sizeof(T)) * g.nx),
                                  std::min<std::int64_t>(4, g.ny), g.ny);
}

/// Number of NUMA nodes of this machine.
std::int64_t numa_nodes();

/// Whether fields of so many bytes are far larger than the caches, so that non-temporal stores pay off.
bool exceeds_caches(double bytes);

/// Rows [j_begin, j_end) of planes [k_begin, k_end).
struct Share {
  std::int64_t j_begin = 0, j_end = 0, k_begin = 0, k_end = 0;
};

/// A thread's share of a box. Adjacent threads along y traverse z together, so that all of them access the same planes
/// and few memory pages are open at a time. Threads on different NUMA nodes have planes of their own, following the
/// placement of fields, and so does every thread if `planes` is set or rows are few. Empty if there are fewer planes
/// than threads.
inline Share share_of(const Grid& g, std::int64_t rank, std::int64_t ranks, bool planes = false) {
  const std::int64_t groups = !planes && g.ny >= min_rows * ranks && ranks % numa_nodes() == 0 ? numa_nodes() : ranks;
  const std::int64_t members = ranks / groups, member = rank % members, group = rank / members;
  return {g.ny * member / members, g.ny * (member + 1) / members, g.nz * group / groups, g.nz * (group + 1) / groups};
}

/// Cells from row (j, k) of a strip to the row that its thread visits `rows` rows later, plane by plane; 0 if there is
/// none. To be prefetched: the rows that follow in memory may be those of another thread, which would have to fetch the
/// lines back that it writes.
inline std::int64_t cells_ahead(const Grid& g, const Share& strip, std::int64_t j, std::int64_t k, std::int64_t rows) {
  const std::int64_t of_plane = strip.j_end - strip.j_begin, later = j - strip.j_begin + rows;
  if (k + later / of_plane >= strip.k_end) return 0;
  return (later / of_plane * g.ny + strip.j_begin + later % of_plane - j) * g.nx;
}
/// Rows of at least prefetch_bytes.
template <class T>
std::int64_t rows_ahead(const Grid& g) {
  const std::int64_t row = g.nx * static_cast<std::int64_t>(sizeof(T));
  return (prefetch_bytes + row - 1) / row;
}

/// Calls march(rank, strip) once for every strip of at most `rows` rows, then end_of_thread() on every thread. `planes`
/// is as in share_of().
template <class March, class End>
void for_each_strip(const Grid& g, int threads, std::int64_t rows, bool planes, const March& march,
                    const End& end_of_thread) {
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    const core::TeamMember member = core::team_member();
    const std::int64_t rank = member.index, ranks = member.size;
    const Share own = share_of(g, rank, ranks, planes);
    for (std::int64_t j0 = own.j_begin; own.k_begin < own.k_end && j0 < own.j_end; j0 += rows)
      march(rank, Share{j0, std::min(own.j_end, j0 + rows), own.k_begin, own.k_end});
    end_of_thread();
  }
}

/// Calls visit(begin, n, j, k, strip) once for every segment of a row, then end_of_thread() on every thread. Threads
/// receive whole rows, or whole planes where there are enough of them. `strip` has the rows that the thread visits
/// plane by plane.
template <class Visit, class End>
void for_each_row(const Grid& g, int threads, std::int64_t strip, Traversal traversal, const Visit& visit,
                  const End& end_of_thread) {
  const std::int64_t across = traversal == Traversal::blocks ? (g.ny + block_side - 1) / block_side : 1;
  const std::int64_t along = traversal == Traversal::blocks ? (g.nx + block_side - 1) / block_side : 1;
  if (traversal == Traversal::blocks) {
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (std::int64_t block = 0; block < across * along; ++block) {
      const std::int64_t i = block % along * block_side, j0 = block / along * block_side;
      for (std::int64_t k = 0; k < g.nz; ++k)
        for (std::int64_t j = j0; j < std::min(g.ny, j0 + block_side); ++j)
          visit(i, std::min(block_side, g.nx - i), j, k, Share{j0, std::min(g.ny, j0 + block_side), 0, g.nz});
    }
    return;
  }
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    const core::TeamMember member = core::team_member();
    const std::int64_t rank = member.index, ranks = member.size;
    const Share own = share_of(g, rank, ranks, traversal != Traversal::strips);
    const bool whole_planes = own.j_end - own.j_begin == g.ny;
    if (ranks > 1 && whole_planes &&
        g.nz < 2 * ranks) {  // few planes: divide rows instead, so that every thread has work
      const std::int64_t rows = g.nz * g.ny;
      for (std::int64_t row = rows * rank / ranks; row < rows * (rank + 1) / ranks; ++row)
        visit(0, g.nx, row % g.ny, row / g.ny, Share{0, g.ny, 0, g.nz});
    } else {
      for (std::int64_t j0 = own.j_begin; j0 < own.j_end; j0 += strip) {
        const Share rows{j0, std::min(own.j_end, j0 + strip), own.k_begin, own.k_end};
        for (std::int64_t k = rows.k_begin; k < rows.k_end; ++k)
          for (std::int64_t j = rows.j_begin; j < rows.j_end; ++j) visit(0, g.nx, j, k, rows);
      }
    }
    end_of_thread();
  }
}

}  // namespace speedwell::stencil

// How a box is divided among threads, and a thread's part into strips whose planes stay in its core's cache.
#pragma once

#include <algorithm>
#include <cstdint>

#include "speedwell/apps/stencil/stencil.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::stencil {

// Three planes of a strip in half of a second-level cache of 1 MiB, which is what a core has at least today.
inline constexpr std::int64_t strip_bytes = 512 * 1024;
inline constexpr std::int64_t block_side = 8;  // the study's, on a processor
inline constexpr std::int64_t least_rows = 4;  // of a thread, for those beside are read, too

template <class T>
std::int64_t strip_rows(const Grid& g) {
  return std::clamp<std::int64_t>(strip_bytes / (3 * static_cast<std::int64_t>(sizeof(T)) * g.nx),
                                  std::min<std::int64_t>(4, g.ny), g.ny);
}

/// Memories of this machine, each near to some of its cores.
std::int64_t memories();

/// Whether fields of so many bytes are far larger than the caches, where stores past them pay.
bool beyond_the_caches(double bytes);

/// Rows [j_begin, j_end) of planes [k_begin, k_end).
struct Share {
  std::int64_t j_begin = 0, j_end = 0, k_begin = 0, k_end = 0;
};

/// A thread's share of a box. Threads side by side along y march along z together, so that all of them are in the same
/// planes, of which few pages of memory are open at a time; but those of another memory have planes of their own, as
/// fields are laid out, and so has every thread with `planes`, or where rows are few. Empty where planes are too few.
inline Share share_of(const Grid& g, std::int64_t rank, std::int64_t ranks, bool planes = false) {
  const std::int64_t groups = !planes && g.ny >= least_rows * ranks && ranks % memories() == 0 ? memories() : ranks;
  const std::int64_t members = ranks / groups, member = rank % members, group = rank / members;
  return {g.ny * member / members, g.ny * (member + 1) / members, g.nz * group / groups, g.nz * (group + 1) / groups};
}

/// march(rank, strip) for every strip of at most `rows` rows, each once and whole; then end() on every thread.
template <class March, class End>
void for_each_strip(const Grid& g, int threads, std::int64_t rows, const March& march, const End& end_of_thread) {
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
#ifdef _OPENMP
    const std::int64_t rank = omp_get_thread_num(), ranks = omp_get_num_threads();
#else
    const std::int64_t rank = 0, ranks = 1;
#endif
    const Share own = share_of(g, rank, ranks);
    for (std::int64_t j0 = own.j_begin; own.k_begin < own.k_end && j0 < own.j_end; j0 += rows)
      march(rank, Share{j0, std::min(own.j_end, j0 + rows), own.k_begin, own.k_end});
    end_of_thread();
  }
}

/// visit(begin, n, j, k) for every piece of a row, each once; then end() on every thread. Rows are given to threads
/// whole, by planes where there are enough of them.
template <class Visit, class End>
void for_each_row(const Grid& g, int threads, std::int64_t strip, Marching marching, const Visit& visit,
                  const End& end_of_thread) {
  const std::int64_t across = marching == Marching::blocks ? (g.ny + block_side - 1) / block_side : 1;
  const std::int64_t along = marching == Marching::blocks ? (g.nx + block_side - 1) / block_side : 1;
  if (marching == Marching::blocks) {
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (std::int64_t block = 0; block < across * along; ++block) {
      const std::int64_t i = block % along * block_side, j0 = block / along * block_side;
      for (std::int64_t k = 0; k < g.nz; ++k)
        for (std::int64_t j = j0; j < std::min(g.ny, j0 + block_side); ++j)
          visit(i, std::min(block_side, g.nx - i), j, k);
    }
    return;
  }
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
#ifdef _OPENMP
    const std::int64_t rank = omp_get_thread_num(), ranks = omp_get_num_threads();
#else
    const std::int64_t rank = 0, ranks = 1;
#endif
    const Share own = share_of(g, rank, ranks, marching != Marching::strips);
    const bool whole_planes = own.j_end - own.j_begin == g.ny;
    if (ranks > 1 && whole_planes &&
        g.nz < 2 * ranks) {  // few planes: rows are divided instead, so that every thread has some
      const std::int64_t rows = g.nz * g.ny;
      for (std::int64_t row = rows * rank / ranks; row < rows * (rank + 1) / ranks; ++row)
        visit(0, g.nx, row % g.ny, row / g.ny);
    } else {
      for (std::int64_t j0 = own.j_begin; j0 < own.j_end; j0 += strip)
        for (std::int64_t k = own.k_begin; k < own.k_end; ++k)
          for (std::int64_t j = j0; j < std::min(own.j_end, j0 + strip); ++j) visit(0, g.nx, j, k);
    }
    end_of_thread();
  }
}

}  // namespace speedwell::stencil

// DIA and BSR: conversion from CSR, and their products on the host.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "speedwell/core/parts.hpp"
#include "speedwell/numerics/sparse/argument_checks.hpp"
#include "speedwell/numerics/sparse/block_sides.hpp"
#include "speedwell/numerics/sparse/row_bytes.hpp"
#include "speedwell/numerics/sparse/sparse.hpp"

namespace speedwell::sparse {
namespace {

// Collects in `found` the distinct block columns of the block row that begins with row `begin`, in increasing order.
template <class T>
void block_columns(const Csr<T>& a, int side, std::int64_t begin, std::vector<std::int32_t>& found) {
  const std::int64_t end = std::min<std::int64_t>(begin + side, a.rows);
  found.clear();
  for (std::int64_t e = a.offsets[static_cast<std::size_t>(begin)]; e < a.offsets[static_cast<std::size_t>(end)]; ++e)
    if (const std::int32_t block = a.column[static_cast<std::size_t>(e)] / side; found.empty() || found.back() != block)
      found.push_back(block);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

/// The first block of each block row, and the end.
template <class T>
std::vector<std::int64_t> block_offsets(const Csr<T>& a, int side, int threads) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>((a.rows + side - 1) / side) + 1, 0);
  const std::size_t bytes = static_cast<std::size_t>(side) * row_bytes(a);
  core::parallel_for(offsets.size() - 1, bytes, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<std::int32_t> found;
    for (std::size_t r = begin; r < end; ++r) {
      block_columns(a, side, static_cast<std::int64_t>(r) * side, found);
      offsets[r + 1] = static_cast<std::int64_t>(found.size());
    }
  });
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  return offsets;
}

struct Blocks {
  int side = 0;
  std::vector<std::int64_t> offsets;  // block_offsets()
};
/// The blocks of the side that takes the fewest bytes.
template <class T>
Blocks fewest_bytes(const Csr<T>& a, int threads) {
  double min_bytes = 0;
  Blocks best;
  for (int side = 2; side <= Bsr<T>::max_side; ++side) {
    std::vector<std::int64_t> offsets = block_offsets(a, side, threads);
    const double bytes = static_cast<double>(offsets.back()) * (side * side * static_cast<double>(sizeof(T)) + 4) +
                         8.0 * static_cast<double>(a.rows) / side;
    if (best.side == 0 || bytes < min_bytes) {
      min_bytes = bytes;
      best = {side, std::move(offsets)};
    }
  }
  return best;
}

template <int side, class T>
void multiply_blocks(const Bsr<T>& a, const T* x, T* y, int team) {
  const std::int64_t whole = a.columns / side;  // further blocks are truncated by the edge of the matrix
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
  for (std::int64_t r = 0; r < a.block_rows(); ++r) {
    T sums[side] = {};
    for (std::int64_t b = a.offsets[static_cast<std::size_t>(r)]; b < a.offsets[static_cast<std::size_t>(r) + 1]; ++b) {
      const std::int64_t first = a.column[static_cast<std::size_t>(b)];
      T part[side];
      for (int c = 0; c < side; ++c)
        part[c] = first < whole || first * side + c < a.columns ? x[first * side + c] : T(0);
      const T* const block = a.value.data() + b * side * side;
      for (int i = 0; i < side; ++i)
        for (int c = 0; c < side; ++c) sums[i] += block[i * side + c] * part[c];
    }
    for (int i = 0; i < std::min<std::int64_t>(side, a.rows - r * side); ++i) y[r * side + i] = sums[i];
  }
}

/// The offsets of the diagonals that have an entry, increasing.
template <class T>
std::vector<std::int64_t> diagonal_offsets(const Csr<T>& a, int threads) {
  std::vector<std::uint8_t> has(static_cast<std::size_t>(a.rows + a.columns), 0);  // indexed by offset + rows
  core::parallel_for(static_cast<std::size_t>(a.rows), row_bytes(a), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::int64_t e = a.offsets[i]; e < a.offsets[i + 1]; ++e) {
        const std::int64_t offset = a.column[static_cast<std::size_t>(e)] - static_cast<std::int64_t>(i);
        // Read first: threads that write the same bytes again and again would slow each other down.
        const std::atomic_ref<std::uint8_t> flag(has[static_cast<std::size_t>(offset + a.rows)]);
        if (flag.load(std::memory_order_relaxed) == 0) flag.store(1, std::memory_order_relaxed);
      }
  });
  std::vector<std::int64_t> offsets;
  for (std::size_t d = 0; d < has.size(); ++d)
    if (has[d] != 0) offsets.push_back(static_cast<std::int64_t>(d) - a.rows);
  return offsets;
}

}  // namespace

template <class T>
std::int64_t diagonal_count(const Csr<T>& a, int threads) {
  return static_cast<std::int64_t>(diagonal_offsets(a, threads).size());
}

template <class T>
Dia<T> diagonals(const Csr<T>& a, double max_fill, int threads) {
  Dia<T> dia{.rows = a.rows, .columns = a.columns, .offset = diagonal_offsets(a, threads), .value = {}};
  const double stored = static_cast<double>(dia.offset.size()) * static_cast<double>(a.rows);
  if (stored > max_fill * static_cast<double>(a.entries()))
    refuse("a matrix of " + std::to_string(a.entries()) + " entries on " + std::to_string(dia.offset.size()) +
           " diagonals, which would take " + std::to_string(static_cast<std::int64_t>(stored * sizeof(T) / 1e6)) +
           " MB; the diagonal format is limited to " + std::to_string(static_cast<int>(max_fill)) +
           " times their entries");
  const auto rows = static_cast<std::size_t>(a.rows);
  dia.value = core::HostBuffer<T>(dia.offset.size() * rows, core::Pages::large);
  core::parallel_for(rows, row_bytes(a), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t d = 0; d < dia.offset.size(); ++d)
      std::fill(dia.value.data() + d * rows + begin, dia.value.data() + d * rows + end, T(0));
    for (std::size_t i = begin; i < end; ++i) {
      std::size_t d = 0;  // columns and hence diagonals increase along a row
      for (std::int64_t e = a.offsets[i]; e < a.offsets[i + 1]; ++e) {
        const std::int64_t offset = a.column[static_cast<std::size_t>(e)] - static_cast<std::int64_t>(i);
        while (dia.offset[d] < offset) ++d;
        dia.value[d * rows + i] = a.value[static_cast<std::size_t>(e)];
      }
    }
  });
  return dia;
}

template <class T>
Bsr<T> blocked(const Csr<T>& a, int side, int threads) {
  if (side != 0 && (side < 2 || side > Bsr<T>::max_side))
    refuse("blocks of side " + std::to_string(side) + "; the side must be 2 to " + std::to_string(Bsr<T>::max_side));
  Blocks all = side == 0 ? fewest_bytes(a, threads) : Blocks{side, block_offsets(a, side, threads)};
  side = all.side;
  Bsr<T> bsr{
      .side = side, .rows = a.rows, .columns = a.columns, .offsets = std::move(all.offsets), .column = {}, .value = {}};
  const auto blocks = static_cast<std::size_t>(bsr.offsets.back()), width = static_cast<std::size_t>(side);
  bsr.column = core::HostBuffer<std::int32_t>(blocks, core::Pages::large);
  bsr.value = core::HostBuffer<T>(blocks * width * width, core::Pages::large);
  const auto convert = [&](std::size_t r, std::vector<std::int32_t>& found) {
    const std::int64_t begin = static_cast<std::int64_t>(r) * side;
    const auto first = static_cast<std::size_t>(bsr.offsets[r]);
    block_columns(a, side, begin, found);
    std::copy(found.begin(), found.end(), bsr.column.data() + first);
    T* const values = bsr.value.data() + first * width * width;
    std::fill(values, values + found.size() * width * width, T(0));
    for (std::int64_t i = begin; i < std::min<std::int64_t>(begin + side, a.rows); ++i)
      for (std::int64_t e = a.offsets[static_cast<std::size_t>(i)]; e < a.offsets[static_cast<std::size_t>(i) + 1];
           ++e) {
        const std::int32_t column = a.column[static_cast<std::size_t>(e)];
        const auto block =
            static_cast<std::size_t>(std::lower_bound(found.begin(), found.end(), column / side) - found.begin());
        values[(block * width + static_cast<std::size_t>(i - begin)) * width +
               static_cast<std::size_t>(column % side)] = a.value[static_cast<std::size_t>(e)];
      }
  };
  core::parallel_for(bsr.offsets.size() - 1, width * row_bytes(a), threads, [&](std::size_t begin, std::size_t end) {
    std::vector<std::int32_t> found;
    for (std::size_t r = begin; r < end; ++r) convert(r, found);
  });
  return bsr;
}

template <class T>
void multiply(const Dia<T>& a, std::span<const T> x, std::span<T> y, int threads) {
  require_sizes(a.rows, a.columns, x.size(), y.size());
  constexpr std::int64_t piece = 2048;  // number of rows whose sums stay in the first-level cache
  const int team = core::resolve_threads(threads);
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
  for (std::int64_t p = 0; p < (a.rows + piece - 1) / piece; ++p) {
    const std::int64_t begin = p * piece, end = std::min(begin + piece, a.rows);
    T* const to = y.data();
    std::fill(to + begin, to + end, T(0));
    for (std::size_t d = 0; d < a.offset.size(); ++d) {
      const T *const value = a.value.data() + static_cast<std::int64_t>(d) * a.rows, *const from = x.data();
      const std::int64_t offset = a.offset[d], high = std::min(end, a.columns - offset);
      for (std::int64_t i = std::max(begin, -offset); i < high; ++i) to[i] += value[i] * from[i + offset];
    }
  }
}

template <class T>
void multiply(const Bsr<T>& a, std::span<const T> x, std::span<T> y, int threads) {
  require_sizes(a.rows, a.columns, x.size(), y.size());
  with_side(a.side, [&]<int side>() { multiply_blocks<side>(a, x.data(), y.data(), core::resolve_threads(threads)); });
}

#define SPEEDWELL_FORMATS(T)                                                    \
  template std::int64_t diagonal_count(const Csr<T>&, int);                     \
  template Dia<T> diagonals(const Csr<T>&, double, int);                        \
  template Bsr<T> blocked(const Csr<T>&, int, int);                             \
  template void multiply(const Dia<T>&, std::span<const T>, std::span<T>, int); \
  template void multiply(const Bsr<T>&, std::span<const T>, std::span<T>, int);
SPEEDWELL_FORMATS(float)
SPEEDWELL_FORMATS(double)
#undef SPEEDWELL_FORMATS

}  // namespace speedwell::sparse

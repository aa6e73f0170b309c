// DIA and BSR: conversion from CSR, and their products on the host.
#include <algorithm>
#include <cstddef>
#include <string>

#include "speedwell/core/parts.hpp"
#include "speedwell/numerics/sparse/argument_checks.hpp"
#include "speedwell/numerics/sparse/block_sides.hpp"
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

template <class T>
int best_block_side(const Csr<T>& a) {
  double min_bytes = 0;
  int best = 2;
  std::vector<std::int32_t> found;
  for (int side = 2; side <= Bsr<T>::max_side; ++side) {
    double blocks = 0;
    for (std::int64_t begin = 0; begin < a.rows; begin += side) {
      block_columns(a, side, begin, found);
      blocks += static_cast<double>(found.size());
    }
    const double bytes =
        blocks * (side * side * static_cast<double>(sizeof(T)) + 4) + 8.0 * static_cast<double>(a.rows) / side;
    if (min_bytes == 0 || bytes < min_bytes) {
      min_bytes = bytes;
      best = side;
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

// Whether each diagonal has an entry, indexed by offset + rows.
template <class T>
std::vector<bool> diagonals_of(const Csr<T>& a) {
  std::vector<bool> has(static_cast<std::size_t>(a.rows + a.columns), false);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t e = a.offsets[static_cast<std::size_t>(i)]; e < a.offsets[static_cast<std::size_t>(i) + 1]; ++e)
      has[static_cast<std::size_t>(a.column[static_cast<std::size_t>(e)] - i + a.rows)] = true;
  return has;
}

}  // namespace

template <class T>
std::int64_t diagonal_count(const Csr<T>& a) {
  const std::vector<bool> has = diagonals_of(a);
  return std::count(has.begin(), has.end(), true);
}

template <class T>
std::int64_t sliced_entries(const Csr<T>& a) {
  constexpr std::int64_t slice = SlicedEll<T>::slice;
  std::int64_t stored = 0;
  for (std::int64_t first = 0; first < a.rows; first += slice) {
    std::int64_t longest = 0;
    for (std::int64_t i = first; i < std::min(first + slice, a.rows); ++i)
      longest = std::max(longest, a.offsets[static_cast<std::size_t>(i) + 1] - a.offsets[static_cast<std::size_t>(i)]);
    stored += slice * longest;
  }
  return stored;
}

template <class T>
Dia<T> diagonals(const Csr<T>& a, double max_fill) {
  const std::vector<bool> has = diagonals_of(a);
  Dia<T> dia{.rows = a.rows, .columns = a.columns, .offset = {}, .value = {}};
  for (std::size_t d = 0; d < has.size(); ++d)
    if (has[d]) dia.offset.push_back(static_cast<std::int64_t>(d) - a.rows);
  const double stored = static_cast<double>(dia.offset.size()) * static_cast<double>(a.rows);
  if (stored > max_fill * static_cast<double>(a.entries()))
    refuse("a matrix of " + std::to_string(a.entries()) + " entries on " + std::to_string(dia.offset.size()) +
           " diagonals, which would take " + std::to_string(static_cast<std::int64_t>(stored * sizeof(T) / 1e6)) +
           " MB; the diagonal format is limited to " + std::to_string(static_cast<int>(max_fill)) +
           " times their entries");
  dia.value.assign(dia.offset.size() * static_cast<std::size_t>(a.rows), T(0));
  for (std::int64_t i = 0; i < a.rows; ++i) {
    auto d = dia.offset.begin();  // columns and hence diagonals increase along a row
    for (std::int64_t e = a.offsets[static_cast<std::size_t>(i)]; e < a.offsets[static_cast<std::size_t>(i) + 1]; ++e) {
      d = std::lower_bound(d, dia.offset.end(), a.column[static_cast<std::size_t>(e)] - i);
      dia.value[static_cast<std::size_t>((d - dia.offset.begin()) * a.rows + i)] = a.value[static_cast<std::size_t>(e)];
    }
  }
  return dia;
}

template <class T>
Bsr<T> blocked(const Csr<T>& a, int side) {
  if (side != 0 && (side < 2 || side > Bsr<T>::max_side))
    refuse("blocks of side " + std::to_string(side) + "; the side must be 2 to " + std::to_string(Bsr<T>::max_side));
  if (side == 0) side = best_block_side(a);
  Bsr<T> bsr{.side = side, .rows = a.rows, .columns = a.columns, .offsets = {0}, .column = {}, .value = {}};
  std::vector<std::int32_t> found;
  for (std::int64_t begin = 0; begin < a.rows; begin += side) {
    block_columns(a, side, begin, found);
    const auto first = static_cast<std::size_t>(bsr.offsets.back());
    bsr.column.insert(bsr.column.end(), found.begin(), found.end());
    bsr.value.resize((first + found.size()) * static_cast<std::size_t>(side * side), T(0));
    for (std::int64_t i = begin; i < std::min<std::int64_t>(begin + side, a.rows); ++i)
      for (std::int64_t e = a.offsets[static_cast<std::size_t>(i)]; e < a.offsets[static_cast<std::size_t>(i) + 1];
           ++e) {
        const std::int32_t column = a.column[static_cast<std::size_t>(e)];
        const auto block =
            static_cast<std::size_t>(std::lower_bound(found.begin(), found.end(), column / side) - found.begin());
        bsr.value[((first + block) * static_cast<std::size_t>(side) + static_cast<std::size_t>(i - begin)) *
                      static_cast<std::size_t>(side) +
                  static_cast<std::size_t>(column % side)] = a.value[static_cast<std::size_t>(e)];
      }
    bsr.offsets.push_back(static_cast<std::int64_t>(bsr.column.size()));
  }
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
  template std::int64_t diagonal_count(const Csr<T>&);                          \
  template std::int64_t sliced_entries(const Csr<T>&);                          \
  template Dia<T> diagonals(const Csr<T>&, double);                             \
  template Bsr<T> blocked(const Csr<T>&, int);                                  \
  template void multiply(const Dia<T>&, std::span<const T>, std::span<T>, int); \
  template void multiply(const Bsr<T>&, std::span<const T>, std::span<T>, int);
SPEEDWELL_FORMATS(float)
SPEEDWELL_FORMATS(double)
#undef SPEEDWELL_FORMATS

}  // namespace speedwell::sparse

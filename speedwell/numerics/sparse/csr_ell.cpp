// CSR and sliced ELL: the check of CSR, its conversion to sliced ELL, and their products on the host.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>

#include "speedwell/core/parts.hpp"
#include "speedwell/numerics/sparse/argument_checks.hpp"
#include "speedwell/numerics/sparse/row_bytes.hpp"
#include "speedwell/numerics/sparse/sparse.hpp"

namespace speedwell::sparse {
namespace {

/// What is wrong with row `i`, or an empty string.
template <class T>
std::string flaw_of_row(const Csr<T>& a, std::int64_t i) {
  const std::int64_t begin = a.offsets[static_cast<std::size_t>(i)], end = a.offsets[static_cast<std::size_t>(i) + 1];
  if (begin > end || begin < 0 || end > a.entries()) return "the offsets decrease at row " + std::to_string(i);
  for (std::int64_t e = begin; e < end; ++e) {
    const auto at = static_cast<std::size_t>(e);
    if (a.column[at] < 0 || a.column[at] >= a.columns || (e > begin && a.column[at] <= a.column[at - 1]))
      return "column " + std::to_string(a.column[at]) + " of row " + std::to_string(i) +
             " is outside of the matrix or not above the preceding one";
    if (!std::isfinite(a.value[at])) return "a value of row " + std::to_string(i) + " is not finite";
  }
  return {};
}

/// The largest number of entries of a row of slice `s`.
template <class T>
std::int64_t width_of_slice(const Csr<T>& a, std::int64_t s) {
  constexpr std::int64_t slice = SlicedEll<T>::slice;
  std::int64_t width = 0;
  for (std::int64_t i = s * slice; i < std::min((s + 1) * slice, a.rows); ++i)
    width = std::max(width, a.offsets[static_cast<std::size_t>(i) + 1] - a.offsets[static_cast<std::size_t>(i)]);
  return width;
}

/// The first element of each slice, and the end.
template <class T>
std::vector<std::int64_t> slice_offsets(const Csr<T>& a, int threads) {
  constexpr std::int64_t slice = SlicedEll<T>::slice;
  std::vector<std::int64_t> offsets(static_cast<std::size_t>((a.rows + slice - 1) / slice) + 1, 0);
  core::parallel_for(offsets.size() - 1, slice * sizeof(std::int64_t), threads,
                     [&](std::size_t begin, std::size_t end) {
                       for (std::size_t s = begin; s < end; ++s)
                         offsets[s + 1] = slice * width_of_slice(a, static_cast<std::int64_t>(s));
                     });
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  return offsets;
}

}  // namespace

template <class T>
void require_matrix(const Csr<T>& a, int threads) {
  if (a.rows < 0 || a.columns < 0 || a.offsets.size() != static_cast<std::size_t>(a.rows) + 1 || a.offsets[0] != 0 ||
      a.offsets.back() != a.entries() || a.column.size() != a.value.size())
    refuse("offsets, columns and values are inconsistent");
  std::atomic<std::int64_t> first_wrong = a.rows;
  core::parallel_for(static_cast<std::size_t>(a.rows), row_bytes(a), threads, [&](std::size_t begin, std::size_t end) {
    for (auto i = static_cast<std::int64_t>(begin); i < static_cast<std::int64_t>(end); ++i) {
      if (flaw_of_row(a, i).empty()) continue;
      std::int64_t known = first_wrong;
      while (i < known && !first_wrong.compare_exchange_weak(known, i)) {
      }
      return;
    }
  });
  if (first_wrong < a.rows) refuse(flaw_of_row(a, first_wrong));
}

template <class T>
void multiply(const Csr<T>& a, std::span<const T> x, std::span<T> y, int threads) {
  require_sizes(a.rows, a.columns, x.size(), y.size());
  const int team = core::resolve_threads(threads);
  const std::int64_t* const offsets = a.offsets.data();
  const std::int32_t* const column = a.column.data();
  const T* const value = a.value.data();
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
  for (int part = 0; part < team; ++part) {
    // Rows whose first entry is in this thread's share of all entries; by row number if the matrix has fewer entries
    // than rows.
    const auto first = [&](int p) -> std::int64_t {
      if (a.entries() < a.rows) return a.rows * p / team;
      return p == team
                 ? a.rows
                 : std::lower_bound(offsets, offsets + a.rows, a.entries() / team * p + a.entries() % team * p / team) -
                       offsets;
    };
    const std::int64_t end = first(part + 1);
    for (std::int64_t i = first(part); i < end; ++i) {
      T sum = 0;
      for (std::int64_t e = offsets[i]; e < offsets[i + 1]; ++e)
        sum += value[e] * x[static_cast<std::size_t>(column[e])];
      y[static_cast<std::size_t>(i)] = sum;
    }
  }
}

template <class T>
void multiply(const SlicedEll<T>& a, std::span<const T> x, std::span<T> y, int threads) {
  require_sizes(a.rows, a.columns, x.size(), y.size());
  constexpr std::int64_t slice = SlicedEll<T>::slice;
  const int team = core::resolve_threads(threads);
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
  for (std::int64_t s = 0; s < (a.rows + slice - 1) / slice; ++s) {
    T sums[slice] = {};
    const std::int64_t begin = a.offsets[static_cast<std::size_t>(s)], end = a.offsets[static_cast<std::size_t>(s) + 1];
    for (std::int64_t e = begin; e < end; e += slice)
      for (std::int64_t l = 0; l < slice; ++l) {
        const auto at = static_cast<std::size_t>(e + l);
        sums[l] += a.value[at] * x[static_cast<std::size_t>(a.column[at])];
      }
    for (std::int64_t l = 0; l < std::min(slice, a.rows - s * slice); ++l)
      y[static_cast<std::size_t>(s * slice + l)] = sums[l];
  }
}

template <class T>
std::int64_t sliced_entries(const Csr<T>& a, int threads) {
  return slice_offsets(a, threads).back();
}

template <class T>
SlicedEll<T> sliced(const Csr<T>& a, int threads) {
  constexpr std::int64_t slice = SlicedEll<T>::slice;
  SlicedEll<T> ell{
      .rows = a.rows, .columns = a.columns, .offsets = slice_offsets(a, threads), .column = {}, .value = {}};
  const auto stored = static_cast<std::size_t>(ell.offsets.back());
  ell.column = core::HostBuffer<std::int32_t>(stored, core::Pages::large);
  ell.value = core::HostBuffer<T>(stored, core::Pages::large);
  const auto convert = [&](std::int64_t s, std::int64_t l) {
    const std::int64_t begin = ell.offsets[static_cast<std::size_t>(s)],
                       width = (ell.offsets[static_cast<std::size_t>(s) + 1] - begin) / slice, row = s * slice + l;
    const auto first = static_cast<std::size_t>(row < a.rows ? a.offsets[static_cast<std::size_t>(row)] : 0);
    const std::int64_t own =
        row < a.rows ? a.offsets[static_cast<std::size_t>(row) + 1] - a.offsets[static_cast<std::size_t>(row)] : 0;
    for (std::int64_t e = 0; e < width; ++e) {
      const auto to = static_cast<std::size_t>(begin + slice * e + l);
      ell.column[to] = own > 0 ? a.column[first + static_cast<std::size_t>(e < own ? e : 0)] : 0;
      ell.value[to] = e < own ? a.value[first + static_cast<std::size_t>(e)] : T(0);
    }
  };
  core::parallel_for(ell.offsets.size() - 1, slice * row_bytes(a), threads, [&](std::size_t begin, std::size_t end) {
    for (auto s = static_cast<std::int64_t>(begin); s < static_cast<std::int64_t>(end); ++s)
      for (std::int64_t l = 0; l < slice; ++l) convert(s, l);
  });
  return ell;
}

#define SPEEDWELL_SPARSE(T)                                                     \
  template void require_matrix(const Csr<T>&, int);                             \
  template std::int64_t sliced_entries(const Csr<T>&, int);                     \
  template SlicedEll<T> sliced(const Csr<T>&, int);                             \
  template void multiply(const Csr<T>&, std::span<const T>, std::span<T>, int); \
  template void multiply(const SlicedEll<T>&, std::span<const T>, std::span<T>, int);
SPEEDWELL_SPARSE(float)
SPEEDWELL_SPARSE(double)
#undef SPEEDWELL_SPARSE

}  // namespace speedwell::sparse

// CSR and sliced ELL: the check of CSR, its conversion to sliced ELL, and their products on the host.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "speedwell/core/parts.hpp"
#include "speedwell/numerics/sparse/argument_checks.hpp"
#include "speedwell/numerics/sparse/sparse.hpp"

namespace speedwell::sparse {
template <class T>
void require_matrix(const Csr<T>& a) {
  if (a.rows < 0 || a.columns < 0 || a.offsets.size() != static_cast<std::size_t>(a.rows) + 1 || a.offsets[0] != 0 ||
      a.offsets.back() != a.entries() || a.column.size() != a.value.size())
    refuse("offsets, columns and values are inconsistent");
  for (std::int64_t i = 0; i < a.rows; ++i) {
    const std::int64_t begin = a.offsets[static_cast<std::size_t>(i)], end = a.offsets[static_cast<std::size_t>(i) + 1];
    if (begin > end || begin < 0 || end > a.entries()) refuse("the offsets decrease at row " + std::to_string(i));
    for (std::int64_t e = begin; e < end; ++e) {
      const auto at = static_cast<std::size_t>(e);
      if (a.column[at] < 0 || a.column[at] >= a.columns || (e > begin && a.column[at] <= a.column[at - 1]))
        refuse("column " + std::to_string(a.column[at]) + " of row " + std::to_string(i) +
               " is outside of the matrix or not above the preceding one");
      if (!std::isfinite(a.value[at])) refuse("a value of row " + std::to_string(i) + " is not finite");
    }
  }
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
SlicedEll<T> sliced(const Csr<T>& a) {
  constexpr std::int64_t slice = SlicedEll<T>::slice;
  const std::int64_t slices = (a.rows + slice - 1) / slice;
  SlicedEll<T> ell{.rows = a.rows, .columns = a.columns, .offsets = {0}, .column = {}, .value = {}};
  const auto length = [&](std::int64_t row) {
    return row < a.rows ? a.offsets[static_cast<std::size_t>(row) + 1] - a.offsets[static_cast<std::size_t>(row)] : 0;
  };
  for (std::int64_t s = 0; s < slices; ++s) {
    std::int64_t width = 0;
    for (std::int64_t l = 0; l < slice; ++l) width = std::max(width, length(s * slice + l));
    ell.offsets.push_back(ell.offsets.back() + width * slice);
  }
  ell.column.resize(static_cast<std::size_t>(ell.offsets.back()));
  ell.value.resize(ell.column.size());
  for (std::int64_t s = 0; s < slices; ++s) {
    const std::int64_t begin = ell.offsets[static_cast<std::size_t>(s)],
                       width = (ell.offsets[static_cast<std::size_t>(s) + 1] - begin) / slice;
    for (std::int64_t l = 0; l < slice; ++l) {
      const std::int64_t row = s * slice + l, own = length(row);
      for (std::int64_t e = 0; e < width; ++e) {
        const auto to = static_cast<std::size_t>(begin + slice * e + l);
        const std::size_t from = own > 0 ? static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(row)]) : 0;
        ell.column[to] = own > 0 ? a.column[from + static_cast<std::size_t>(e < own ? e : 0)] : 0;
        ell.value[to] = e < own ? a.value[from + static_cast<std::size_t>(e)] : T(0);
      }
    }
  }
  return ell;
}

#define SPEEDWELL_SPARSE(T)                                                     \
  template void require_matrix(const Csr<T>&);                                  \
  template SlicedEll<T> sliced(const Csr<T>&);                                  \
  template void multiply(const Csr<T>&, std::span<const T>, std::span<T>, int); \
  template void multiply(const SlicedEll<T>&, std::span<const T>, std::span<T>, int);
SPEEDWELL_SPARSE(float)
SPEEDWELL_SPARSE(double)
#undef SPEEDWELL_SPARSE

}  // namespace speedwell::sparse

// Sparse matrices on the host: products and conjugate gradients.
#include "speedwell/apps/stencil/sparse.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "speedwell/core/parts.hpp"

namespace speedwell::stencil {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("sparse: " + what); }

void require_sizes(std::int64_t rows, std::int64_t columns, std::size_t x, std::size_t y) {
  if (x != static_cast<std::size_t>(columns))
    refuse("x has " + std::to_string(x) + " elements, the matrix " + std::to_string(columns) + " columns");
  if (y != static_cast<std::size_t>(rows))
    refuse("y has " + std::to_string(y) + " elements, the matrix " + std::to_string(rows) + " rows");
}

// The entry at (row, column), or the end.
template <class T>
std::int64_t find(const Csr<T>& a, std::int64_t row, std::int64_t column) {
  const auto begin = a.column.begin() + a.offsets[static_cast<std::size_t>(row)],
             end = a.column.begin() + a.offsets[static_cast<std::size_t>(row) + 1];
  const auto at = std::lower_bound(begin, end, column);
  return at != end && *at == column ? at - a.column.begin() : a.entries();
}

}  // namespace

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
std::string unfit_for_cg(const Csr<T>& a) {
  if (a.rows != a.columns)
    return "the matrix is " + std::to_string(a.rows) + " x " + std::to_string(a.columns) + ", not square";
  for (std::int64_t i = 0; i < a.rows; ++i) {
    bool positive = false;
    for (std::int64_t e = a.offsets[static_cast<std::size_t>(i)]; e < a.offsets[static_cast<std::size_t>(i) + 1]; ++e) {
      const std::int64_t j = a.column[static_cast<std::size_t>(e)];
      const T value = a.value[static_cast<std::size_t>(e)];
      if (i == j) positive = value > 0;
      const std::int64_t mirrored = find(a, j, i);
      const T other = mirrored == a.entries() ? T(0) : a.value[static_cast<std::size_t>(mirrored)];
      if (other != value)
        return "the matrix is not symmetric: (" + std::to_string(i + 1) + ", " + std::to_string(j + 1) + ") is " +
               std::to_string(value) + " and (" + std::to_string(j + 1) + ", " + std::to_string(i + 1) + ") " +
               std::to_string(other);
    }
    if (!positive)
      return "the matrix is not positive definite: the diagonal of row " + std::to_string(i + 1) + " is not positive";
  }
  return {};
}

template <class T>
CgResult solve(const Csr<T>& a, std::span<const T> b, std::span<T> x, const CgOptions& options) {
  require_sizes(a.rows, a.columns, x.size(), b.size());
  if (const std::string reason = unfit_for_cg(a); !reason.empty()) refuse(reason);
  if (options.preconditioner == Preconditioner::polynomial)
    refuse("the polynomial preconditioner needs a 7-point operator; none and jacobi apply to any matrix");
  const int threads = core::resolve_threads(options.threads);
  const auto apply = [&](std::span<const T> p, std::span<T> q) {
    multiply<T>(a, p, q, threads);
    return numerics::sum_in_stages(
        p.size(), threads, [&](std::size_t i) { return static_cast<double>(p[i]) * static_cast<double>(q[i]); });
  };
  const numerics::CgLimits limits{.tolerance = options.tolerance, .iterations = options.iterations, .threads = threads};
  if (options.preconditioner == Preconditioner::none)
    return numerics::conjugate_gradients<T>(b, x, limits, apply, numerics::NoPreconditioner{});
  std::vector<T> diagonal(b.size());
  for (std::int64_t i = 0; i < a.rows; ++i)
    diagonal[static_cast<std::size_t>(i)] = a.value[static_cast<std::size_t>(find(a, i, i))];
  return numerics::conjugate_gradients<T>(b, x, limits, apply, [&](std::span<const T> r, std::span<T> z) {
    return numerics::sum_in_stages(r.size(), threads, [&](std::size_t i) {
      z[i] = r[i] / diagonal[i];
      return static_cast<double>(r[i]) * static_cast<double>(z[i]);
    });
  });
}

#define SPEEDWELL_SPARSE(T)                                                           \
  template void require_matrix(const Csr<T>&);                                        \
  template void multiply(const Csr<T>&, std::span<const T>, std::span<T>, int);       \
  template void multiply(const SlicedEll<T>&, std::span<const T>, std::span<T>, int); \
  template std::string unfit_for_cg(const Csr<T>&);                                   \
  template CgResult solve(const Csr<T>&, std::span<const T>, std::span<T>, const CgOptions&);
SPEEDWELL_SPARSE(float)
SPEEDWELL_SPARSE(double)
#undef SPEEDWELL_SPARSE

}  // namespace speedwell::stencil

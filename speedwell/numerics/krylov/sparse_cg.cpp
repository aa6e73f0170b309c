#include "speedwell/numerics/krylov/sparse_cg.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "speedwell/core/parts.hpp"
#include "speedwell/numerics/sparse/argument_checks.hpp"

namespace speedwell::krylov {
namespace {

// The entry at (row, column), or the end.
template <class T>
std::int64_t find(const sparse::Csr<T>& a, std::int64_t row, std::int64_t column) {
  const auto begin = a.column.begin() + a.offsets[static_cast<std::size_t>(row)],
             end = a.column.begin() + a.offsets[static_cast<std::size_t>(row) + 1];
  const auto at = std::lower_bound(begin, end, column);
  return at != end && *at == column ? at - a.column.begin() : a.entries();
}

}  // namespace

template <class T>
std::string unfit_for_cg(const sparse::Csr<T>& a) {
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
CgResult conjugate_gradients(const sparse::Csr<T>& a, std::span<const T> b, std::span<T> x,
                             const SparseCgOptions& options) {
  sparse::require_sizes(a.rows, a.columns, x.size(), b.size());
  if (const std::string reason = unfit_for_cg(a); !reason.empty()) sparse::refuse(reason);
  if (options.preconditioner == Preconditioner::polynomial)
    sparse::refuse("the polynomial preconditioner needs a 7-point operator; none and jacobi apply to any matrix");
  const int threads = core::resolve_threads(options.threads);
  const auto apply = [&](std::span<const T> p, std::span<T> q) {
    sparse::multiply<T>(a, p, q, threads);
    return sum_in_stages(p.size(), threads,
                         [&](std::size_t i) { return static_cast<double>(p[i]) * static_cast<double>(q[i]); });
  };
  const CgLimits limits{.tolerance = options.tolerance, .iterations = options.iterations, .threads = threads};
  if (options.preconditioner == Preconditioner::none)
    return conjugate_gradients<T>(b, x, limits, apply, NoPreconditioner{});
  std::vector<T> diagonal(b.size());
  for (std::int64_t i = 0; i < a.rows; ++i)
    diagonal[static_cast<std::size_t>(i)] = a.value[static_cast<std::size_t>(find(a, i, i))];
  return conjugate_gradients<T>(b, x, limits, apply, [&](std::span<const T> r, std::span<T> z) {
    return sum_in_stages(r.size(), threads, [&](std::size_t i) {
      z[i] = r[i] / diagonal[i];
      return static_cast<double>(r[i]) * static_cast<double>(z[i]);
    });
  });
}

#define SPEEDWELL_SPARSE_CG(T)                                                                   \
  template std::string unfit_for_cg(const sparse::Csr<T>&);                                      \
  template CgResult conjugate_gradients(const sparse::Csr<T>&, std::span<const T>, std::span<T>, \
                                        const SparseCgOptions&);
SPEEDWELL_SPARSE_CG(float)
SPEEDWELL_SPARSE_CG(double)
#undef SPEEDWELL_SPARSE_CG

}  // namespace speedwell::krylov

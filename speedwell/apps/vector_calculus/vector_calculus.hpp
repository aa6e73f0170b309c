// Vector calculus on a grid: fields, expressions over them, and their evaluation in one pass on all cores. The public
// interface; that of a GPU is gpu_vector_calculus.hpp.
//   ScalarField<double> phi(grid);
//   VectorField<double> b(grid), force(grid);
//   assign(force, cross(curl(b), b) - grad(phi));
// The operators: + - * grad div curl dot cross norm2 advect. After the optimisation library of CENTORI (A. Richardson,
// MSc dissertation, Edinburgh 2009).
#pragma once

#include <algorithm>
#include <vector>

#include "speedwell/apps/vector_calculus/contract.hpp"
#include "speedwell/apps/vector_calculus/cpu/cores.hpp"
#include "speedwell/apps/vector_calculus/cpu/host_rows.hpp"
#include "speedwell/apps/vector_calculus/fields.hpp"
#include "speedwell/apps/vector_calculus/totals.hpp"

namespace speedwell::vector_calculus {

/// How expressions are evaluated on the host.
struct HostOptions {
  int threads = 0;  // 0: OpenMP's default
};

namespace host {
namespace {

/// An evaluation as the loops of cores.hpp take it: functions of a pointer to the job and of indices, which need not be
/// compiled again for each expression.
template <class E, class T, int components, Layout layout>
struct Job {
  E e;
  HostFrame<T> frame;  // extents and spacings of the grid
  Result<T, components, layout> out;
  bool streaming;           // whether the result is stored past the caches
  std::int64_t begin, end;  // of the points of a row

  /// The job that a loop was given.
  static const Job& of(const void* what) { return *static_cast<const Job*>(what); }
  /// Row (j, k), all of whose derivatives are centred.
  static void row(const void* what, std::int64_t j, std::int64_t k) {
    const Job& job = of(what);
    evaluate_row<false>(job.e, job.frame, job.out, job.begin, job.end, j, k, job.streaming);
  }
  /// Row (j, k) of a grid with one-sided derivatives at its boundary.
  static void sided_row(const void* what, std::int64_t j, std::int64_t k) {
    const Job& job = of(what);
    evaluate_row<true>(job.e, job.frame, job.out, job.begin, job.end, j, k, job.streaming);
  }
  /// Points [begin, end) of an expression without derivatives, which needs no rows.
  static void points(const void* what, std::int64_t begin, std::int64_t end) {
    const Job& job = of(what);
    evaluate_row<false>(job.e, as_one_row(job.frame), job.out, begin, end, 0, 0, job.streaming);
    if (job.streaming) numerics::streaming::fence();
  }
  /// Words [begin, end) of the result, each of which depends on the same word of the operands.
  static void words(const void* what, std::int64_t begin, std::int64_t end) {
    const Job& job = of(what);
    evaluate_words(job.e, job.out.data, begin, end, job.streaming);
  }
};

/// Checks the operands and evaluates the expression in the cheapest order that it allows: rows where it has
/// derivatives, else words or points.
template <int components, Layout layout, class E, class T>
void assign(T* out, const Grid& grid, const E& e, const HostOptions& options) {
  static_assert(std::is_same_v<typename E::Real, T>, "the result is in another precision than the expression");
  static_assert(E::components == components, "a vector is assigned to a scalar field, or a scalar to a vector field");
  static_assert(E::memory_space == MemorySpace::host, "the expression's fields are not in host memory");
  require_assignable(e, grid, out, components, layout);
  // Words that one point of the expression reads.
  std::int64_t words = 0;
  e.visit([&]<class Leaf>(const Leaf&) { words += Leaf::components; });
  using HostJob = Job<E, T, components, layout>;
  const HostJob job{e,     host_frame_of<T>(grid),
                    {out}, exceeds_caches(static_cast<double>(grid.size()) * (words + components) * sizeof(T)),
                    0,     grid.nx};
  if constexpr (E::reach > 0) {
    // Rows in an order that keeps the planes that are read in the caches.
    const bool sided = grid.boundary == Boundary::one_sided;
    for_each_row(grid, words * sizeof(T), E::reach, options.threads, sided ? HostJob::sided_row : HostJob::row, &job);
  } else if constexpr (E::template flat<layout>) {
    // Components need not be told apart.
    parallel_for(3 * grid.size(), sizeof(T), options.threads, HostJob::words, &job);
  } else {
    // Without derivatives the grid is one long row.
    parallel_for(grid.size(), components * sizeof(T), options.threads, HostJob::points, &job);
  }
}

/// Totals of points [begin, end) of row (j, k), evaluated in pieces that stay in the first-level cache.
template <bool sided, class E, class T>
Totals totals_of_row(const E& e, const HostFrame<T>& frame, std::int64_t begin, std::int64_t end, std::int64_t j,
                     std::int64_t k) {
  constexpr std::int64_t most = 512;  // values of a piece
  T values[most];
  Totals own;
  const std::int64_t row = (k * frame.ny + j) * frame.nx;  // index of the row's first point
  for (; begin < end; begin += most) {
    const std::int64_t next = std::min(end, begin + most);
    evaluate_row<sided>(e, frame, Part<T>{values, row + begin}, begin, next, j, k, false);
    for (std::int64_t i = 0; i < next - begin; ++i) own.take(static_cast<double>(values[i]));
  }
  return own;
}

/// The totals of every row, as a job of for_each_row().
template <class E, class T>
struct TotalsJob {
  E e;
  HostFrame<T> frame;
  Totals* of_row;  // [k ny + j]

  /// Stores the totals of row (j, k).
  template <bool sided>
  static void row(const void* what, std::int64_t j, std::int64_t k) {
    const TotalsJob& job = *static_cast<const TotalsJob*>(what);
    job.of_row[k * job.frame.ny + j] = totals_of_row<sided>(job.e, job.frame, 0, job.frame.nx, j, k);
  }
};

}  // namespace
}  // namespace host

/// out = e at every point, on all cores. Throws std::invalid_argument for another grid, for one too small
/// (require_grid()), for options.threads < 0, and if `out` overlaps a field whose neighbours are read. The bits do not
/// depend on the number of threads, unless the compiler contracts products and sums (-ffp-contract=off forbids it).
template <class T, Operand E>
void assign(ScalarField<T>& out, const E& e, const HostOptions& options = {}) {
  host::assign<1, Layout::soa>(out.values().data(), out.grid(), expression(e), options);
}
/// The same for three components.
template <class T, Layout layout, Operand E>
void assign(VectorField<T, layout>& out, const E& e, const HostOptions& options = {}) {
  host::assign<3, layout>(out.values().data(), out.grid(), expression(e), options);
}

/// Totals of a scalar field or expression, on all cores. Each row is summed in order and the rows pairwise, so that the
/// bits do not depend on the number of threads. Throws std::invalid_argument as assign().
template <Operand Field>
Totals totals(const Field& field, const HostOptions& options = {}) {
  const auto e = expression(field);
  using E = std::remove_cvref_t<decltype(e)>;
  using T = typename E::Real;
  static_assert(E::components == 1, "totals() are of a scalar");
  static_assert(E::memory_space == MemorySpace::host, "the expression's fields are not in host memory");
  const Grid& grid = grid_of(e);  // of its first field; the others must have the same
  require_on_grid(e, grid);
  // The totals of each row, which are combined in an order that does not depend on the threads.
  std::vector<Totals> rows(static_cast<std::size_t>(grid.ny * grid.nz));
  using Job = host::TotalsJob<E, T>;
  // The expression is copied: it holds pointers to the fields.
  const Job job{e, host_frame_of<T>(grid), rows.data()};
  const bool sided = E::reach > 0 && grid.boundary == Boundary::one_sided;
  host::for_each_row(grid, sizeof(T), E::reach, options.threads,
                     sided ? Job::template row<true> : Job::template row<false>, &job);
  return combined(rows);
}

}  // namespace speedwell::vector_calculus

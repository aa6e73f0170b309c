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
#include "speedwell/apps/vector_calculus/cores.hpp"
#include "speedwell/apps/vector_calculus/fields.hpp"
#include "speedwell/apps/vector_calculus/host_rows.hpp"
#include "speedwell/apps/vector_calculus/totals.hpp"

namespace speedwell::vector_calculus {

struct HostOptions {
  int threads = 0;  // 0: OpenMP's default
};

namespace host {
namespace {

template <class E, class T, int components, Layout layout>
struct Job {
  E e;
  HostFrame<T> frame;
  Result<T, components, layout> out;
  bool streaming;
  std::int64_t begin, end;  // of the points of a row

  static const Job& of(const void* what) { return *static_cast<const Job*>(what); }
  static void row(const void* what, std::int64_t j, std::int64_t k) {
    const Job& job = of(what);
    evaluate_row<false>(job.e, job.frame, job.out, job.begin, job.end, j, k, job.streaming);
  }
  static void sided_row(const void* what, std::int64_t j, std::int64_t k) {
    const Job& job = of(what);
    evaluate_row<true>(job.e, job.frame, job.out, job.begin, job.end, j, k, job.streaming);
  }
  static void points(const void* what, std::int64_t begin, std::int64_t end) {
    const Job& job = of(what);
    evaluate_row<false>(job.e, as_one_row(job.frame), job.out, begin, end, 0, 0, job.streaming);
  }
  static void words(const void* what, std::int64_t begin, std::int64_t end) {
    const Job& job = of(what);
    evaluate_words(job.e, job.out.data, begin, end, job.streaming);
  }
};

template <int components, Layout layout, class E, class T>
void assign(T* out, const Grid& grid, const E& e, const HostOptions& options) {
  static_assert(std::is_same_v<typename E::Real, T>, "the result is in another precision than the expression");
  static_assert(E::components == components, "a vector is assigned to a scalar field, or a scalar to a vector field");
  static_assert(E::memory_space == MemorySpace::host, "the expression's fields are not in host memory");
  require_assignable(e, grid, out, components, layout);
  std::int64_t words = 0;
  e.visit([&]<class Leaf>(const Leaf&) { words += Leaf::components; });
  using HostJob = Job<E, T, components, layout>;
  const HostJob job{e,     host_frame_of<T>(grid),
                    {out}, exceeds_caches(static_cast<double>(grid.size()) * (words + components) * sizeof(T)),
                    0,     grid.nx};
  if constexpr (E::reach > 0) {
    const bool sided = grid.boundary == Boundary::one_sided;
    for_each_row(grid, words * sizeof(T), E::reach, options.threads, sided ? HostJob::sided_row : HostJob::row, &job);
  } else if constexpr (E::template flat<layout>) {
    parallel_for(3 * grid.size(), sizeof(T), options.threads, HostJob::words, &job);
  } else {
    parallel_for(grid.size(), components * sizeof(T), options.threads, HostJob::points, &job);
  }
}

/// Totals of points [begin, end) of row (j, k).
template <bool sided, class E, class T>
Totals totals_of_row(const E& e, const HostFrame<T>& frame, std::int64_t begin, std::int64_t end, std::int64_t j,
                     std::int64_t k) {
  constexpr std::int64_t most = 512;
  T values[most];
  Totals own;
  const std::int64_t row = (k * frame.ny + j) * frame.nx;
  for (; begin < end; begin += most) {
    const std::int64_t next = std::min(end, begin + most);
    evaluate_row<sided>(e, frame, Part<T>{values, row + begin}, begin, next, j, k, false);
    for (std::int64_t i = 0; i < next - begin; ++i) own.take(static_cast<double>(values[i]));
  }
  return own;
}

template <class E, class T>
struct TotalsJob {
  E e;
  HostFrame<T> frame;
  Totals* of_row;

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
  const Grid& grid = grid_of(e);
  require_on_grid(e, grid);
  std::vector<Totals> rows(static_cast<std::size_t>(grid.ny * grid.nz));
  using Job = host::TotalsJob<E, T>;
  const Job job{e, host_frame_of<T>(grid), rows.data()};
  const bool sided = E::reach > 0 && grid.boundary == Boundary::one_sided;
  host::for_each_row(grid, sizeof(T), E::reach, options.threads,
                     sided ? Job::template row<true> : Job::template row<false>, &job);
  return combined(rows);
}

}  // namespace speedwell::vector_calculus

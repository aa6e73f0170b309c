// Vector calculus on ranks: fields whose points are divided among ranks, and expressions of them, evaluated in one pass
// with one core per rank. Halos of the fields that an expression differentiates are filled while the points inside are
// computed; without derivatives nothing is exchanged.
//   DistributedGrid grid(ranks, {.nx = 256, .ny = 256, .nz = 256});
//   DistributedScalarField<double> p(grid);
//   DistributedVectorField<double> b(grid), force(grid);
//   b.scatter(whole_b);                                   // read on rank 0
//   assign(force, cross(curl(b), b) - grad(p));           // one message to each neighbour
//   const Totals energy = totals(grid, norm2(b));
//   force.gather(whole_force);                            // written on rank 0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/vector_calculus/distributed_grid.hpp"
#include "speedwell/apps/vector_calculus/halo_fields.hpp"
#include "speedwell/apps/vector_calculus/vector_calculus.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::vector_calculus {

/// A number at every point of a distributed grid; each rank holds those of its tile and its halo. 0 at first.
template <class T>
class DistributedScalarField {
 public:
  /// The grid must outlive the field. Throws std::bad_alloc.
  explicit DistributedScalarField(DistributedGrid& grid)
      : grid_(&grid), values_(static_cast<std::size_t>(grid.local().size()), core::Pages::large) {
    std::fill_n(values_.data(), values_.size(), T(0));
  }
  /// The grid that the constructor was given.
  DistributedGrid& grid() const { return *grid_; }
  /// The values of the tile and its halo, in the order of grid().local().
  std::span<T> values() { return values_.span(); }
  std::span<const T> values() const { return values_.span(); }
  /// Indices of the whole grid, of a point of this rank: grid().points_along() has them.
  T& operator()(std::int64_t i, std::int64_t j, std::int64_t k) { return values_[at(i, j, k)]; }
  const T& operator()(std::int64_t i, std::int64_t j, std::int64_t k) const { return values_[at(i, j, k)]; }
  /// Collective. `whole` has grid().whole().size() values, in the order of a ScalarField; read on rank 0 only.
  void scatter(const T* whole) { grid_->scatter(whole, TileField<T>{values_.data(), 1}); }
  /// Collective. Written on rank 0 only.
  void gather(T* whole) const { grid_->gather(TileField<const T>{values_.data(), 1}, whole); }
  /// The field in an expression, which must not outlive it.
  ScalarLeaf<T, MemorySpace::distributed> leaf() const { return {values_.data(), &grid_->local()}; }

 private:
  /// The index in values() of a point of this rank.
  std::size_t at(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<std::size_t>(grid_->local_index(i, j, k));
  }
  DistributedGrid* grid_;
  core::HostBuffer<T> values_;
};

/// Three components, 0 to 2, at every point; otherwise as DistributedScalarField. Whole fields are in the same layout.
template <class T, Layout layout = Layout::soa>
class DistributedVectorField {
 public:
  /// The grid must outlive the field. The components are 0 at first. Throws std::bad_alloc.
  explicit DistributedVectorField(DistributedGrid& grid)
      : grid_(&grid), values_(static_cast<std::size_t>(3 * grid.local().size()), core::Pages::large) {
    std::fill_n(values_.data(), values_.size(), T(0));
  }
  DistributedGrid& grid() const { return *grid_; }
  /// Three values for each point of the tile and its halo, in the order of the layout.
  std::span<T> values() { return values_.span(); }
  std::span<const T> values() const { return values_.span(); }
  /// Component 0, 1 or 2 at a point of this rank, with the indices of the whole grid.
  T& operator()(int component, std::int64_t i, std::int64_t j, std::int64_t k) {
    return values_[at(component, i, j, k)];
  }
  const T& operator()(int component, std::int64_t i, std::int64_t j, std::int64_t k) const {
    return values_[at(component, i, j, k)];
  }
  /// Collective. `whole` has 3 grid().whole().size() values, in the order of a VectorField; read on rank 0 only.
  void scatter(const T* whole) { grid_->scatter_vector(layout, whole, values_.data()); }
  /// Collective. Written on rank 0 only.
  void gather(T* whole) const { grid_->gather_vector(layout, values_.data(), whole); }
  /// The field in an expression, which must not outlive it.
  VectorLeaf<T, layout, MemorySpace::distributed> leaf() const { return {values_.data(), &grid_->local()}; }

 private:
  /// The index in values() of a component at a point of this rank.
  std::size_t at(int component, std::int64_t i, std::int64_t j, std::int64_t k) const {
    const std::int64_t point = grid_->local_index(i, j, k);
    return static_cast<std::size_t>(layout == Layout::aos ? 3 * point + component
                                                          : component * grid_->local().size() + point);
  }
  DistributedGrid* grid_;
  core::HostBuffer<T> values_;
};

namespace host {
namespace {

/// Checks the operands and evaluates the expression row by row where it has derivatives, else in runs of adjacent words
/// or points of the tile, without its halo.
template <int components, Layout layout, class E, class T>
void assign(DistributedGrid& grid, T* out, const E& e, HaloUpdate update) {
  static_assert(std::is_same_v<typename E::Real, T>, "the result is in another precision than the expression");
  static_assert(E::components == components, "a vector is assigned to a scalar field, or a scalar to a vector field");
  static_assert(E::memory_space == MemorySpace::distributed, "the expression's fields are not distributed ones");
  require_on(grid, e);
  require_assignable(e, grid.local(), out, components, layout);
  // Words that one point of the expression reads.
  std::int64_t words = 0;
  e.visit([&]<class Leaf>(const Leaf&) { words += Leaf::components; });
  // The functions of the job are those of one process, on the rows of this rank.
  using HostJob = Job<E, T, components, layout>;
  // The fields of all ranks share the caches of the host.
  HostJob job{e,     grid.frame<T>(),
              {out}, exceeds_caches(static_cast<double>(grid.whole().size()) * (words + components) * sizeof(T)),
              0,     0};
  if constexpr (E::reach > 0) {
    // Rows that read no halo come first, while the halos travel.
    const bool sided = grid.whole().boundary == Boundary::one_sided;
    grid.for_rows<T>(differentiated_fields<T>(e), E::reach, words * sizeof(T), update,
                     [&](std::int64_t j, std::int64_t k, comm::Range x) {
                       job.begin = x.begin;
                       job.end = x.end;
                       sided ? HostJob::sided_row(&job, j, k) : HostJob::row(&job, j, k);
                     });
  } else if constexpr (E::template flat<layout>) {
    // Every word depends on the same word of the operands, so that components need not be told apart.
    constexpr std::int64_t adjacent = layout == Layout::aos ? 3 : 1;
    for (std::int64_t first = 0; first < 3 * grid.local().size(); first += adjacent * grid.local().size())
      grid.for_runs([&](std::int64_t begin, std::int64_t end) {
        HostJob::words(&job, first + adjacent * begin, first + adjacent * end);
      });
  } else {
    // Without derivatives points are independent of their neighbours: a run is a row of the tile or more.
    grid.for_runs([&](std::int64_t begin, std::int64_t end) { HostJob::points(&job, begin, end); });
  }
}

}  // namespace
}  // namespace host

/// Collective. out = e at every point, on one core of each rank; the halos of the fields that `e` differentiates are
/// overwritten, that of `out` keeps its values. The bits are those of one process, unless the compiler contracts
/// products and sums. Throws std::invalid_argument, on all ranks, for fields of another DistributedGrid, for more
/// nested derivatives than its depth, and as assign() of fields in host memory.
template <class T, Operand E>
void assign(DistributedScalarField<T>& out, const E& e, HaloUpdate update = HaloUpdate::overlapped) {
  host::assign<1, Layout::soa>(out.grid(), out.values().data(), expression(e), update);
}
/// The same for three components.
template <class T, Layout layout, Operand E>
void assign(DistributedVectorField<T, layout>& out, const E& e, HaloUpdate update = HaloUpdate::overlapped) {
  host::assign<3, layout>(out.grid(), out.values().data(), expression(e), update);
}

/// Collective. Totals of a scalar field or expression over the whole grid, on all ranks. Each row is summed in order,
/// the rows of a rank pairwise, and the ranks in their order: the same bits at every call with the same division, but
/// not on other numbers of ranks. Throws std::invalid_argument as assign().
template <Operand Field>
Totals totals(DistributedGrid& grid, const Field& field, HaloUpdate update = HaloUpdate::overlapped) {
  // A field stands for the expression of itself.
  const auto e = expression(field);
  using E = std::remove_cvref_t<decltype(e)>;
  using T = typename E::Real;
  static_assert(E::components == 1, "totals() are of a scalar");
  static_assert(E::memory_space == MemorySpace::distributed, "the expression's fields are not distributed ones");
  host::require_on(grid, e);
  const HostFrame<T> frame = grid.frame<T>();  // of the tile with its halo
  // Derivatives at the boundary of the whole grid, not of the tile, may be one-sided.
  const bool sided = E::reach > 0 && grid.whole().boundary == Boundary::one_sided;
  // The rows of this rank, in the order of grid.for_rows().
  std::vector<Totals> rows;
  grid.for_rows<T>(host::differentiated_fields<T>(e), E::reach, sizeof(T), update,
                   [&](std::int64_t j, std::int64_t k, comm::Range x) {
                     rows.push_back(sided ? host::totals_of_row<true>(e, frame, x.begin, x.end, j, k)
                                          : host::totals_of_row<false>(e, frame, x.begin, x.end, j, k));
                   });
  return grid.combine(combined(rows));
}

}  // namespace speedwell::vector_calculus

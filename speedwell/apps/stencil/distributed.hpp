// DistributedOperator: the 7-point operator on a box that is divided among ranks. Each rank holds a tile of every field
// with the layers of its neighbours' cells around it, along the axes that are divided, and computes with the same row
// kernels as one process:
//   DistributedOperator<double> a(ranks, {form, boundary, grid});
//   a.set(rank == 0 ? &whole : nullptr);          a.scatter(rank == 0 ? x : nullptr, x_field);
//   a.multiply(x_field, y_field);                 a.gather(y_field, rank == 0 ? y : nullptr);
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "speedwell/apps/stencil/cpu/cpu_rows.hpp"
#include "speedwell/apps/stencil/operator.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/decomposition.hpp"
#include "speedwell/comm/halo_layout.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::comm {
template <class Element>
class HaloExchange;
}

namespace speedwell::stencil {

struct DistributedShape {
  Form form = Form::constant;
  Boundary boundary = Boundary::periodic;
  Grid grid;  // of the whole box
};

/// The division of a box among ranks; axes of the decomposition are z, y, x. `ranks_along` has the numbers of ranks
/// along x, y and z; 0: chosen. Axes that are not divided have no halo. Throws std::invalid_argument as
/// comm::Decomposition.
comm::Decomposition division_of(const Grid& grid, Boundary boundary, int ranks, int depth = 1,
                                const std::array<int, 3>& ranks_along = {});
/// The largest depth of a halo up to `wanted` for which division_of() finds a division.
int largest_depth(const Grid& grid, Boundary boundary, int ranks, int wanted);

/// The members are collective but for those that return what is known; all ranks give the same shape. `whole` is read
/// or written on rank 0 only. A field is an array of size() values: the rank's tile with its halo, x contiguous. Beyond
/// the ends of a box that is not periodic the halo is 0, as make_field() leaves it.
template <class T>
class DistributedOperator {
 public:
  /// `depth` layers of cells are kept of each neighbour: sweep() advances as many sweeps for an exchange. Throws
  /// std::invalid_argument as require_grid() and division_of(). `ranks` must outlive the object.
  DistributedOperator(const comm::Communicator& ranks, const DistributedShape& shape, int depth = 1,
                      const std::array<int, 3>& ranks_along = {});
  ~DistributedOperator();

  /// Distributes the coefficients of `whole`, an operator of the shape. Before it the coefficients are undefined.
  void set(const Operator<T>* whole);

  const comm::Decomposition& division() const { return division_; }
  const comm::HaloLayout& layout() const;
  /// The operator on the tile with its halo, as the row kernels use it: on cells of the tile it is that of the box.
  const Operator<T>& local_operator() const { return operator_; }
  /// Ranks along x, y and z: "1 x 2 x 4".
  std::string division_text() const;
  std::int64_t size() const { return grid_.size(); }
  /// A field of zeros.
  core::HostBuffer<T> make_field() const;
  void scatter(const T* whole, std::span<T> field) const;
  void gather(std::span<const T> field, T* whole) const;

  /// y = A x. Fills the halo of x while the cells that need none of it are computed; that of y keeps its values. The
  /// values are bitwise those of stencil::multiply().
  void multiply(std::span<T> x, std::span<T> y);
  /// The same without overlap: the exchange is complete before the first cell is computed.
  void exchange_and_multiply(std::span<T> x, std::span<T> y);
  /// y = A x; returns the scalar product of x and A x, in stages on each rank and in the order of the ranks: the same
  /// bits at every call with as many ranks.
  double multiply_and_dot(std::span<T> x, std::span<T> y);
  /// y = A^sweeps x for form E0, with an exchange after every `depth` sweeps; the layers of the neighbours are
  /// advanced, too, as far as they are known. All three fields are overwritten. Bitwise stencil::sweep(). Throws
  /// std::invalid_argument for another form or boundary than periodic, and for sweeps < 1.
  void sweep(std::span<T> x, std::span<T> y, std::span<T> scratch, int sweeps);

  // The operations of conjugate gradients (distributed_cg.hpp). All sums are added in stages on each rank, then in the
  // order of the ranks.
  /// p = z + beta p, or p = z whatever p was if `first`; returns p . A p. Fills the halo of p.
  double advance_direction(std::span<const T> z, T beta, bool first, std::span<T> p);
  /// x += alpha p and r -= alpha A p; returns r . r. The halo of p is as advance_direction() leaves it.
  double descend(T alpha, std::span<const T> p, std::span<T> x, std::span<T> r);
  /// The diagonal of A in the cells of the tile.
  void diagonal(std::span<T> field) const;
  /// Calls act(index in a field) for the cells of the tile, not of its halo.
  template <class Act>
  void for_cells(const Act& act) const {
    for_own_rows([&](std::int64_t first, std::int64_t count) {
      for (std::int64_t i = first; i < first + count; ++i) act(i);
    });
  }
  /// The sum over all cells of the box of term(index in a field), which may change its element.
  template <class Term>
  double sum_over_cells(const Term& term) {
    std::vector<double> rows;
    for_own_rows([&](std::int64_t first, std::int64_t count) {
      double sum = 0;
      for (std::int64_t i = first; i < first + count; ++i) sum += term(i);
      rows.push_back(sum);
    });
    return sum_over_ranks(rows);
  }

  /// Seconds that this rank has spent in exchanges and sums over ranks, not hidden by computation: packing, waiting,
  /// unpacking.
  double exchange_seconds() const;

 private:
  using Region = comm::HaloLayout::Region;

  /// Calls row(index of its first own cell in a field, cells) for each row of the tile.
  template <class RowAct>
  void for_own_rows(const RowAct& row) const {
    const auto& ranges = layout().own().ranges;
    for (std::int64_t k = ranges[0].begin; k < ranges[0].end; ++k)
      for (std::int64_t j = ranges[1].begin; j < ranges[1].end; ++j)
        row(grid_.cell(ranges[2].begin, j, k), ranges[2].size());
  }
  /// The staged sum of the values, added over the ranks.
  double sum_over_ranks(std::span<const double> values);
  template <class Kernel>
  void rows_of(const Region& region, std::span<const T> x, std::span<T> y, const Kernel& kernel) const;
  template <class Kernel>
  void multiply_with(std::span<T> x, std::span<T> y, const Kernel& kernel);
  void set_metrics(const Operator<T>* whole);
  void set_cells(const Operator<T>* whole);
  void set_outer_faces();

  const comm::Communicator& ranks_;
  DistributedShape shape_;
  comm::Decomposition division_;
  std::unique_ptr<comm::HaloExchange<T>> exchange_;
  int depth_;
  Grid grid_;  // of the tile with its halo
  Operator<T> operator_;
  std::vector<T> metric_[3], inverse_[3], zeros_;
  core::HostBuffer<T> cell_[7];
  RowKernels<T> kernels_;
  bool streaming_ = false;
  double sum_seconds_ = 0;
};

}  // namespace speedwell::stencil

// A matrix whose rows are divided among ranks, for products on ranks or on a GPU of each rank.
//   DistributedRows<double> rows(ranks, n, m);
//   rows.scatter(rank == 0 ? &a : nullptr, b);        // b: on rank 0, else ignored
//   multiply(rows.a(), rows.b(), rows.c(), 1);
//   rows.gather(rows.c(), c);                         // c: N elements on rank 0
#pragma once

#include <cstdint>
#include <span>

#include "speedwell/apps/matvec/matvec.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/parts.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::matvec {

/// Throws std::invalid_argument for more ranks than rows.
void require_ranks(std::int64_t rows, int ranks);

/// Contiguous rows for each rank, as many as the others have or one more; every rank has all of b. The product of a
/// rank's rows with multiply() has the bits of these rows in the product of the whole matrix.
template <class T>
class DistributedRows {
 public:
  /// Collective. Throws as require_ranks(), and std::bad_alloc. `ranks` must outlive the object.
  DistributedRows(const comm::Communicator& ranks, std::int64_t rows, std::int64_t columns);

  /// Collective. Sends each rank its rows of `whole`, N x M, and b, M elements, from rank 0; elsewhere both are
  /// ignored. Rank 0 keeps a view of its rows, so that `whole` must outlive the products. Throws std::invalid_argument
  /// on all ranks for a matrix or a vector of another shape.
  void scatter(const Matrix<T>* whole, std::span<const T> b);
  /// Collective. Collects the elements of all ranks in `whole` on rank 0, in order.
  void gather(std::span<const T> own, std::span<T> whole) const;

  std::int64_t rows() const { return range(ranks_->rank()).size(); }  // of this rank
  Matrix<T> a() const { return a_; }
  std::span<const T> b() const { return b_.span(); }
  /// Room for the elements of this rank.
  std::span<T> c() { return c_.span(); }

 private:
  comm::Range range(int rank) const { return comm::part_of(all_rows_, ranks_->size(), rank); }

  const comm::Communicator* ranks_;
  std::int64_t all_rows_, columns_;
  core::HostBuffer<T> own_, b_, c_;
  Matrix<T> a_;
};

extern template class DistributedRows<float>;
extern template class DistributedRows<double>;

}  // namespace speedwell::matvec

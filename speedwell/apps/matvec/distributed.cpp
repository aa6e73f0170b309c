#include "speedwell/apps/matvec/distributed.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "speedwell/core/units.hpp"

namespace speedwell::matvec {

void require_ranks(std::int64_t rows, int ranks) {
  if (ranks > rows)
    throw std::invalid_argument("matvec: " + std::to_string(ranks) + " ranks for a matrix of " +
                                core::counted(rows, "row"));
}

template <class T>
DistributedRows<T>::DistributedRows(const comm::Communicator& ranks, std::int64_t rows, std::int64_t columns)
    : ranks_(&ranks), all_rows_(rows), columns_(columns), a_(nullptr, 0, columns, columns) {
  require_ranks(rows, ranks.size());
  const std::int64_t own = this->rows();
  if (ranks.rank() > 0) own_ = core::HostBuffer<T>(static_cast<std::size_t>(own * columns), core::Pages::large);
  b_ = core::HostBuffer<T>(static_cast<std::size_t>(columns));
  c_ = core::HostBuffer<T>(static_cast<std::size_t>(own));
  a_ = {own_.data(), own, columns, columns};
}

template <class T>
void DistributedRows<T>::scatter(const Matrix<T>* whole, std::span<const T> b) {
  const bool is_root = ranks_->rank() == 0;
  const bool fits = !is_root || (whole->rows == all_rows_ && whole->columns == columns_ &&
                                 static_cast<std::int64_t>(b.size()) == columns_);
  if (!ranks_->broadcast(fits)) throw std::invalid_argument("matvec: another shape than that of the distributed rows");
  if (is_root) std::copy(b.begin(), b.end(), b_.begin());
  ranks_->broadcast(b_.span());
  const auto columns = static_cast<std::size_t>(columns_);
  if (!is_root) {
    ranks_->receive(own_.span(), 0);
    return;
  }
  a_ = {whole->data, rows(), columns_, whole->leading};
  core::HostBuffer<T> packed;  // rows without gaps
  for (int rank = 1; rank < ranks_->size(); ++rank) {
    const comm::Range of_rank = range(rank);
    const auto elements = static_cast<std::size_t>(of_rank.size()) * columns;
    const T* first = whole->data + of_rank.begin * whole->leading;
    if (whole->leading != columns_) {
      if (packed.size() < elements) packed = core::HostBuffer<T>(elements);
      for (std::int64_t i = 0; i < of_rank.size(); ++i)
        std::copy_n(first + i * whole->leading, columns, packed.data() + i * columns_);
      first = packed.data();
    }
    ranks_->send(std::span<const T>(first, elements), rank);
  }
}

template <class T>
void DistributedRows<T>::gather(std::span<const T> own, std::span<T> whole) const {
  if (ranks_->rank() > 0) {
    ranks_->send(own, 0);
    return;
  }
  if (static_cast<std::int64_t>(whole.size()) != all_rows_)
    throw std::invalid_argument("matvec: " + std::to_string(whole.size()) + " elements for " +
                                std::to_string(all_rows_) + " rows");
  std::copy(own.begin(), own.end(), whole.begin());
  for (int rank = 1; rank < ranks_->size(); ++rank) {
    const comm::Range of_rank = range(rank);
    ranks_->receive(whole.subspan(static_cast<std::size_t>(of_rank.begin), static_cast<std::size_t>(of_rank.size())),
                    rank);
  }
}

template class DistributedRows<float>;
template class DistributedRows<double>;

}  // namespace speedwell::matvec

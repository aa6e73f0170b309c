#include "speedwell/apps/incompressible_flow/linear_solvers/mode_transpose.hpp"

#include <algorithm>
#include <utility>

namespace speedwell::incompressible_flow {
namespace {

constexpr std::ptrdiff_t min_message = 1 << 14;  // elements that a message of a piece has on average
constexpr int max_pieces = 4;
constexpr int first_tag = 32;  // tags of planes in transfer are below

}  // namespace

template <class T>
ModeTranspose<T>::ModeTranspose(Slab& slab, std::vector<std::vector<int>> rows, int height, std::ptrdiff_t row_size)
    : slab_(&slab), rows_(std::move(rows)), position_(static_cast<std::size_t>(height)), row_(row_size) {
  const int n = slab.ranks().size();
  const auto& mine = rows_[static_cast<std::size_t>(slab.ranks().rank())];
  for (std::size_t i = 0; i < mine.size(); ++i) position_[static_cast<std::size_t>(mine[i])] = static_cast<int>(i);
  // The number of pieces is the same on all ranks.
  const std::ptrdiff_t message = std::ptrdiff_t{slab.planes()} * height * row_size / n / n;
  pieces_ =
      static_cast<int>(std::clamp<std::ptrdiff_t>(message / min_message, 1, std::min(max_pieces, slab.planes() / n)));
  std::ptrdiff_t end = 0;
  for (int r = 0; r < n; ++r) {
    offset_.push_back(end);
    end += rows_count(r) * row_ * slab.count();
  }
  buffer_ = core::HostBuffer<T>(static_cast<std::size_t>(end), core::Pages::large);
  lines_ = core::HostBuffer<T>(static_cast<std::size_t>(my_rows() * row_ * slab.planes()), core::Pages::large);
  returned_.resize(static_cast<std::size_t>(pieces_));
}

template <class T>
void ModeTranspose<T>::receive_lines() {
  const comm::Communicator& ranks = slab_->ranks();
  for (int p = 0; p < pieces_; ++p)
    for (int d = 1; d < ranks.size(); ++d) {
      const int from = (ranks.rank() + ranks.size() - d) % ranks.size();
      const comm::Range planes = piece_of(from, p);
      const auto count = static_cast<std::size_t>(planes.size() * my_rows() * row_);
      if (count > 0) received_.receive(ranks, std::span<T>(lines_from(from, planes.begin), count), from, first_tag + p);
    }
}

template <class T>
void ModeTranspose<T>::send(int p, const T* planes) {
  const comm::Timer timer(slab_->seconds());
  const comm::Communicator& ranks = slab_->ranks();
  const comm::Range mine = piece(p);
  if (p == 0) receive_lines();
  for (int d = 1; d <= ranks.size(); ++d) {
    const int to = (ranks.rank() + d) % ranks.size();
    T* next = to == ranks.rank() ? lines_from(to, mine.begin) : part(to, mine.begin);
    for (std::int64_t k = mine.begin; k < mine.end; ++k)
      for (const int row : rows_[static_cast<std::size_t>(to)])
        next = std::copy_n(planes + (k * static_cast<std::ptrdiff_t>(position_.size()) + row) * row_, row_, next);
    const auto count = static_cast<std::size_t>(mine.size() * rows_count(to) * row_);
    if (to != ranks.rank() && count > 0)
      sent_.send(ranks, std::span<const T>(part(to, mine.begin), count), to, first_tag + p);
  }
  received_.progress();
}

template <class T>
void ModeTranspose<T>::lines() {
  const comm::Timer timer(slab_->seconds());
  received_.wait_all();
  sent_.wait_all();
}

template <class T>
void ModeTranspose<T>::send_back() {
  const comm::Timer timer(slab_->seconds());
  const comm::Communicator& ranks = slab_->ranks();
  for (int p = 0; p < pieces_; ++p)
    for (int d = 1; d < ranks.size(); ++d) {
      const int from = (ranks.rank() + ranks.size() - d) % ranks.size(), to = (ranks.rank() + d) % ranks.size();
      const comm::Range mine = piece(p), planes = piece_of(to, p);
      const auto in = static_cast<std::size_t>(mine.size() * rows_count(from) * row_);
      const auto out = static_cast<std::size_t>(planes.size() * my_rows() * row_);
      if (in > 0)
        returned_[static_cast<std::size_t>(p)].receive(ranks, std::span<T>(part(from, mine.begin), in), from,
                                                       first_tag + max_pieces + p);
      if (out > 0)
        sent_.send(ranks, std::span<const T>(lines_from(to, planes.begin), out), to, first_tag + max_pieces + p);
    }
}

template <class T>
void ModeTranspose<T>::receive(int p, T* planes) {
  const comm::Timer timer(slab_->seconds());
  const comm::Communicator& ranks = slab_->ranks();
  returned_[static_cast<std::size_t>(p)].wait_all();
  const comm::Range mine = piece(p);
  for (int from = 0; from < ranks.size(); ++from) {
    const T* next = from == ranks.rank() ? lines_from(from, mine.begin) : part(from, mine.begin);
    for (std::int64_t k = mine.begin; k < mine.end; ++k)
      for (const int row : rows_[static_cast<std::size_t>(from)]) {
        std::copy_n(next, row_, planes + (k * static_cast<std::ptrdiff_t>(position_.size()) + row) * row_);
        next += row_;
      }
  }
  for (int later = p + 1; later < pieces_; ++later) returned_[static_cast<std::size_t>(later)].progress();
  if (p == pieces_ - 1) sent_.wait_all();
}

template class ModeTranspose<float>;
template class ModeTranspose<double>;

}  // namespace speedwell::incompressible_flow

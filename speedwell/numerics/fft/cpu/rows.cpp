#include "speedwell/numerics/fft/cpu/rows.hpp"

namespace speedwell::fft {

template <class T>
Rows<T>::Rows(Kind kind, std::int64_t n, std::int64_t rows, Team<T>& team) : rows_(rows) {
  if (rows_are_long(n, rows, team.lanes())) {
    if (kind == Kind::complex)
      work_points_ = long_line_.emplace(n, team).work_points();
    else
      work_points_ = long_real_.emplace(n, team).work_points();
    work_spaces_ = rows < team.threads() ? 1 : team.threads();
  } else if (kind == Kind::complex) {
    team.reserve(line_.emplace(n).tables().buffer_points());
  } else {
    team.reserve(real_.emplace(n).buffer_points());
  }
}

template <class T>
LineSet<T> Rows<T>::lines(const T* in, std::int64_t in_pitch, T* out, std::int64_t out_pitch,
                          std::int64_t rows_per_block, bool backward, T scale) const {
  LineSet<T> set{.blocks = rows_ / rows_per_block,
                 .count = rows_per_block,
                 .in = in,
                 .in_lane = in_pitch,
                 .in_block = rows_per_block * in_pitch,
                 .out = out,
                 .out_lane = out_pitch,
                 .out_block = rows_per_block * out_pitch,
                 .backward = backward,
                 .scale = scale};
  if (real_)
    set.real = &real_->tables();
  else
    set.complex = &line_->tables();
  return set;
}

template <class T>
void Rows<T>::transform_row(Team<T>& team, const T* in, T* out, int thread, bool backward, T scale) {
  T* const space = work_.data() + 2 * work_points_ * std::max(thread, 0);
  if (long_real_)
    long_real_->execute(team, in, out, space, backward, scale, thread);
  else
    long_line_->execute(team, in, out, space, backward, scale, thread);
}

template <class T>
void Rows<T>::transform(Team<T>& team, const T* in, std::int64_t in_pitch, T* out, std::int64_t out_pitch,
                        bool backward, T scale) {
  if (work_spaces_ == 1) {
    for (std::int64_t r = 0; r < rows_; ++r)
      transform_row(team, in + r * in_pitch, out + r * out_pitch, whole_team, backward, scale);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(team.threads())
  for (std::int64_t r = 0; r < rows_; ++r)
    transform_row(team, in + r * in_pitch, out + r * out_pitch, thread_index(), backward, scale);
}

template class Rows<float>;
template class Rows<double>;

}  // namespace speedwell::fft

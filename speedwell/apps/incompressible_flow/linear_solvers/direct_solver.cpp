#include "speedwell/apps/incompressible_flow/linear_solvers/direct_solver.hpp"

#include <algorithm>
#include <utility>

#include "speedwell/apps/incompressible_flow/statistics/spectrum.hpp"
#include "speedwell/core/thread_index.hpp"

namespace speedwell::incompressible_flow {
namespace {

constexpr int block = 64;  // reals of a row whose lines are solved together
constexpr int pitch = block;
/// Planes are solved one at a time if a plane fits into a core's own cache with its modes, and if there are so many
/// that those between two threads do not matter.
constexpr std::size_t max_plane_bytes = std::size_t{1} << 20;
constexpr int min_planes = 96;

}  // namespace

template <class T>
DirectSolver<T>::DirectSolver(const Problem& problem, int threads, core::Isa isa, Slab* slab)
    : e_(problem.extents()),
      slab_(slab),
      planes_count_(slab ? slab->count() : e_.nz),
      threads_(threads),
      cosine_x_(!problem.periodic(0)),
      cosine_y_(!problem.periodic(1)),
      kernels_(row_kernels<T>(isa)),
      plan_({.extents = {e_.ny, e_.nx}, .batch = planes_count_}, {.threads = threads}),
      values_(e_.at(0, 0, planes_count_), core::Pages::large),
      spectrum_(2 * static_cast<std::size_t>(plan_.spectrum_points()), core::Pages::large),
      twiddles_x_(cosine_twiddles<T>(e_.nx)),
      twiddles_y_(cosine_twiddles<T>(e_.ny)),
      third_(problem) {
  set_mesh(problem);
  for (int t = 0; t < threads_; ++t) work_.emplace_back(static_cast<std::size_t>(4 * pitch) * e_.nz);
  const std::size_t plane = static_cast<std::size_t>(e_.nx) * static_cast<std::size_t>(e_.ny);
  groups_ = {0, groups()};
  if (slab_) {
    transpose_ = transpose_of(slab_);
    groups_ = comm::part_of(groups(), slab_->ranks().size(), slab_->ranks().rank());
    plane_plan_ =
        std::make_unique<fft::RealPlan<T>>(fft::Shape{.extents = {e_.ny, e_.nx}}, fft::Options{.threads = threads});
    above_ = core::HostBuffer<T>(plane);
    return;
  }
  if (!rows_are_plain() || plane * sizeof(T) > max_plane_bytes || e_.nz < min_planes) return;
  for (int t = 0; t < std::min(threads_, e_.nz); ++t)
    planes_.push_back({fft::RealPlan<T>({.extents = {e_.ny, e_.nx}}, {.threads = 1}),
                       {core::HostBuffer<T>(plane), core::HostBuffer<T>(plane)}});
}

template <class T>
void DirectSolver<T>::set_mesh(const Problem& problem) {
  lambda_x_ = row_eigenvalues<T>(problem);
  lambda_y_ = column_eigenvalues<T>(problem);
  third_ = ThirdAxis<T>(problem);
}

template <class T>
std::size_t DirectSolver<T>::offset(int j, int k) const {
  return e_.at(0, cosine_y_ ? cosine_index(j, e_.ny) : j, k);
}

template <class T>
void DirectSolver<T>::put(int j, int k, const T* values) {
  T* to = row(j, k);
  if (!cosine_x_) {
    std::copy(values, values + e_.nx, to);
    return;
  }
  for (int i = 0; i < e_.nx; ++i) to[cosine_index(i, e_.nx)] = values[i];
}

template <class T>
void DirectSolver<T>::get(int j, int k, T* values) const {
  const T* from = row(j, k);
  if (!cosine_x_) {
    std::copy(from, from + e_.nx, values);
    return;
  }
  for (int i = 0; i < e_.nx; ++i) values[i] = from[cosine_index(i, e_.nx)];
}

// Solves modes y and, for cosines, ny - y, of `width` reals from `first` on.
template <class T>
void DirectSolver<T>::solve_lines(int y, int first, int width, T* work) {
  const int n = e_.nz;
  const int other = cosine_y_ && y > 0 ? e_.ny - y : y;
  const bool rotates = cosine_y_ && y > 0, pair = other != y;
  const T scale = T(1) / (static_cast<T>(e_.nx) * static_cast<T>(e_.ny));
  T* lines[2] = {work, work + static_cast<std::ptrdiff_t>(pitch) * n};
  T *c = work + static_cast<std::ptrdiff_t>(2 * pitch) * n, *q = c + static_cast<std::ptrdiff_t>(pitch) * n;
  const Complex twiddle_y[2] = {twiddles_y_[static_cast<std::size_t>(y)], twiddles_y_[static_cast<std::size_t>(other)]};
  const Complex* twiddles_x = twiddles_x_.data() + first / 2;
  const auto entry = [&](int mode, int k) { return line_row(mode, k) + first / 2; };
  const int count = width / 2;
  const Complex i(0, 1);

  for (int k = 0; k < n; ++k) {
    auto* a = reinterpret_cast<Complex*>(lines[0] + static_cast<std::ptrdiff_t>(pitch) * k);
    auto* b = reinterpret_cast<Complex*>(lines[1] + static_cast<std::ptrdiff_t>(pitch) * k);
    const Complex *from = entry(y, k), *from_other = entry(other, k);
    if (!rotates) {
      for (int m = 0; m < count; ++m) a[m] = from[m] * scale;
    } else {
      for (int m = 0; m < count; ++m) {
        const Complex v = from[m] * twiddle_y[0] * scale, w = from_other[m] * twiddle_y[1] * scale;
        a[m] = T(0.5) * (v + i * w);
        b[m] = T(0.5) * (w + i * v);
      }
    }
    if (cosine_x_)
      for (int m = 0; m < count; ++m) {
        a[m] *= twiddles_x[m];
        if (pair) b[m] *= twiddles_x[m];
      }
  }

  T lambda[block];
  for (int which = 0; which < (pair ? 2 : 1); ++which) {
    T* x = lines[which];
    for (int m = 0; m < width; ++m)
      lambda[m] =
          lambda_x_[static_cast<std::size_t>(first + m)] + lambda_y_[static_cast<std::size_t>(which ? other : y)];
    const bool has_constant = y == 0 && first == 0;
    if (has_constant && lambda[1] == 0) lambda[1] = -1;  // the imaginary part of a real sum is 0
    third_.solve(kernels_, width, lambda, has_constant, x, c, q, pitch);
  }

  for (int k = 0; k < n; ++k) {
    auto* a = reinterpret_cast<Complex*>(lines[0] + static_cast<std::ptrdiff_t>(pitch) * k);
    auto* b = reinterpret_cast<Complex*>(lines[1] + static_cast<std::ptrdiff_t>(pitch) * k);
    Complex *to = entry(y, k), *to_other = entry(other, k);
    if (cosine_x_)
      for (int m = 0; m < count; ++m) {
        a[m] *= std::conj(twiddles_x[m]);
        if (pair) b[m] *= std::conj(twiddles_x[m]);
      }
    if (!rotates) {
      for (int m = 0; m < count; ++m) to[m] = a[m];
    } else {
      for (int m = 0; m < count; ++m) {
        const Complex v = a[m], w = pair ? b[m] : a[m];
        to[m] = std::conj(twiddle_y[0]) * (v - i * w);
        if (pair) to_other[m] = std::conj(twiddle_y[1]) * (w - i * v);
      }
    }
  }
}

// A group is solved on one rank.
template <class T>
std::unique_ptr<ModeTranspose<T>> DirectSolver<T>::transpose_of(Slab* slab) const {
  const int ranks = slab->ranks().size();
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) {
    const comm::Range mine = comm::part_of(groups(), ranks, r);
    for (auto y = static_cast<int>(mine.begin); y < mine.end; ++y) {
      rows[static_cast<std::size_t>(r)].push_back(y);
      if (cosine_y_ && y > 0 && e_.ny - y != y) rows[static_cast<std::size_t>(r)].push_back(e_.ny - y);
    }
  }
  return std::make_unique<ModeTranspose<T>>(*slab, std::move(rows), e_.ny, 2 * (std::ptrdiff_t{e_.nx} / 2 + 1));
}

template <class T>
void DirectSolver<T>::solve_on_ranks() {
  const auto plane = [&](std::int64_t k) {
    return values_.span().subspan(e_.at(0, 0, static_cast<int>(k)), e_.at(0, 0, 1));
  };
  for (int p = 0; p < transpose_->pieces(); ++p) {
    const comm::Range piece = transpose_->piece(p);
    for (std::int64_t k = piece.begin; k < piece.end; ++k)
      plane_plan_->forward(plane(k), modes_of(static_cast<int>(k)));
    transpose_->send(p, spectrum_.data());
  }
  transpose_->lines();
  solve_all_lines();
  transpose_->send_back();
  for (int p = 0; p < transpose_->pieces(); ++p) {
    transpose_->receive(p, spectrum_.data());
    const comm::Range piece = transpose_->piece(p);
    for (std::int64_t k = piece.begin; k < piece.end; ++k)
      plane_plan_->backward(modes_of(static_cast<int>(k)), plane(k));
  }
}

template <class T>
void DirectSolver<T>::start_first_plane() {
  constexpr int tag = 4;  // after those of ghost cells
  if (slab_) slab_->start<T>(values_.data(), nullptr, nullptr, above_.data(), above_.size(), tag);
}

template <class T>
void DirectSolver<T>::solve() {
  if (slab_) return solve_on_ranks();
  plan_.forward(values_.span(), spectrum());
  solve_all_lines();
  plan_.backward(spectrum(), values_.span());
}

template <class T>
void DirectSolver<T>::settle() {
  if (!settled_) plan_.backward(spectrum(), values_.span());
  settled_ = true;
}

template <class T>
void DirectSolver<T>::solve_all_lines() {
  const int reals = 2 * (e_.nx / 2 + 1), blocks = (reals + block - 1) / block;
  const auto begin = static_cast<int>(groups_.begin), end = static_cast<int>(groups_.end);
#pragma omp parallel for schedule(static) collapse(2) num_threads(threads_) if (threads_ > 1)
  for (int y = begin; y < end; ++y)
    for (int b = 0; b < blocks; ++b)
      solve_lines(y, b * block, std::min(block, reals - b * block),
                  work_[static_cast<std::size_t>(core::thread_index())].data());
}

template class DirectSolver<float>;
template class DirectSolver<double>;

}  // namespace speedwell::incompressible_flow

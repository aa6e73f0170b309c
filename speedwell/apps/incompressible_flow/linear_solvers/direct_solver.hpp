// The pressure equation by transforms along x and y and tridiagonal systems along z, on all cores.
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "speedwell/apps/incompressible_flow/cpu/row_kernels.hpp"
#include "speedwell/apps/incompressible_flow/linear_solvers/mode_transpose.hpp"
#include "speedwell/apps/incompressible_flow/linear_solvers/third_axis.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/numerics/fft/fft.hpp"

namespace speedwell::incompressible_flow {

template <class T>
class DirectSolver {
 public:
  /// The box must have a uniform mesh along x and y, and be periodic along x unless it has walls along y, too. Solids
  /// are ignored. `slab`: the planes of this rank; solve() is then collective. Null: all planes.
  DirectSolver(const Problem& problem, int threads, core::Isa isa, Slab* slab = nullptr);

  /// Sets the mesh of the same problem with other widths, again uniform along x and y.
  void set_mesh(const Problem& problem);

  /// Right-hand sides and solutions are passed by rows. If rows_are_plain(), row(j, k) is a row in order; otherwise
  /// put() and get() permute it. A solution is determined up to a constant.
  bool rows_are_plain() const { return !cosine_x_; }
  T* row(int j, int k) { return values_.data() + offset(j, k); }
  const T* row(int j, int k) const { return values_.data() + offset(j, k); }
  /// Row j of the plane after plane k. On ranks that of the last plane comes from the slab above: after
  /// start_first_plane(), and Slab::finish().
  const T* row_above(int j, int k) const {
    if (k + 1 < planes_count_) return row(j, k + 1);
    return above_.size() > 0 ? above_.data() + offset(j, 0) : row(j, 0);
  }
  void start_first_plane();
  void put(int j, int k, const T* values);
  void get(int j, int k, T* values) const;
  /// Replaces the right-hand sides of Laplacian p = f by p.
  void solve();

  /// The same plane by plane, if planes() is true: right-hand sides and solutions stay in the caches. fill(k, plane)
  /// computes the right-hand sides of plane k, whose row j is at row_of(plane, j); use(k, plane, above) receives
  /// solutions of that plane and of the next one. solve() is not needed then, and rows have no solutions before
  /// settle().
  bool planes() const { return !planes_.empty(); }
  T* row_of(T* plane, int j) const { return plane + offset(j, 0); }
  const T* row_of(const T* plane, int j) const { return plane + offset(j, 0); }
  template <class Fill>
  void solve_from(const Fill& fill) {
    in_chunks([&](int chunk, int first, int last) {
      Plane& mine = planes_[static_cast<std::size_t>(chunk)];
      for (int k = first; k < last; ++k) {
        fill(k, mine.values[0].data());
        mine.plan.forward(mine.values[0].span(), modes_of(k));
      }
    });
    solve_all_lines();
    settled_ = false;
  }
  template <class Use>
  void solve_to(const Use& use) {
    in_chunks([&](int chunk, int first, int last) {
      Plane& mine = planes_[static_cast<std::size_t>(chunk)];
      const auto solved = [&](int k, int into) {
        mine.plan.backward(modes_of(k), mine.values[into].span());
        return mine.values[into].data();
      };
      const T* here = first < last ? solved(first, 0) : nullptr;
      for (int k = first, into = 1; k < last; ++k, into = 1 - into) {
        const T* above = solved(k + 1 < e_.nz ? k + 1 : 0, into);
        use(k, here, above);
        here = above;
      }
    });
  }
  /// Computes the solutions of rows from the results of solve_from().
  void settle();

 private:
  struct Plane {  // per thread
    fft::RealPlan<T> plan;
    core::HostBuffer<T> values[2];
  };
  using Complex = std::complex<T>;
  std::span<Complex> modes_of(int k) {
    const std::size_t count = static_cast<std::size_t>(e_.nx / 2 + 1) * static_cast<std::size_t>(e_.ny);
    return spectrum().subspan(count * static_cast<std::size_t>(k), count);
  }
  /// Calls body(chunk, first plane, end), one thread per chunk.
  template <class Body>
  void in_chunks(const Body& body) {
    const int chunks = static_cast<int>(planes_.size());
#pragma omp parallel for schedule(static) num_threads(chunks) if (chunks > 1)
    for (int c = 0; c < chunks; ++c)
      body(c, static_cast<int>(std::int64_t{e_.nz} * c / chunks),
           static_cast<int>(std::int64_t{e_.nz} * (c + 1) / chunks));
  }
  void solve_all_lines();
  std::span<Complex> spectrum() { return {reinterpret_cast<Complex*>(spectrum_.data()), spectrum_.size() / 2}; }
  std::size_t offset(int j, int k) const;
  void solve_lines(int y, int first, int width, T* work);
  void solve_on_ranks();
  std::unique_ptr<ModeTranspose<T>> transpose_of(Slab* slab) const;
  /// Pairs of rows of modes, y and ny - y, that are solved together, or single rows.
  int groups() const { return cosine_y_ ? e_.ny / 2 + 1 : e_.ny; }
  Complex* line_row(int y, int k) {
    if (transpose_) return reinterpret_cast<Complex*>(transpose_->at(k, y));
    return spectrum().data() + (static_cast<std::size_t>(k) * e_.ny + static_cast<std::size_t>(y)) * (e_.nx / 2 + 1);
  }

  Extents e_;         // of the box
  Slab* slab_;        // null unless the box is divided
  int planes_count_;  // of this rank
  int threads_;
  bool cosine_x_, cosine_y_;
  RowKernels<T> kernels_;
  fft::RealPlan<T> plan_;
  core::HostBuffer<T> values_;
  core::HostBuffer<T> spectrum_;  // real and imaginary parts alternate
  std::vector<T> lambda_x_, lambda_y_;
  std::vector<Complex> twiddles_x_, twiddles_y_;
  ThirdAxis<T> third_;
  std::vector<core::HostBuffer<T>> work_;
  std::vector<Plane> planes_;
  std::unique_ptr<ModeTranspose<T>> transpose_;
  std::unique_ptr<fft::RealPlan<T>> plane_plan_;  // of one plane, on ranks
  comm::Range groups_;                            // of this rank
  core::HostBuffer<T> above_;                     // the first plane of the slab above
  bool settled_ = true;
};

extern template class DirectSolver<float>;
extern template class DirectSolver<double>;

}  // namespace speedwell::incompressible_flow

#include "speedwell/numerics/fft/cpu/long_real.hpp"

namespace speedwell::fft {

template <class T>
LongReal<T>::LongReal(std::int64_t n, Team<T>& team) : n_(n), half_(n % 2 ? n : n / 2, team) {
  if (n % 2 == 0) unpack_ = unpack_table<T>(n);
}

// Computes X[k] and X[n/2 - k] of the reals from Z, in place, by the formulas of line_kernel.cpp.
template <class T>
void LongReal<T>::unpack(T* x, T scale, int threads) const {
  const std::int64_t half = n_ / 2;
  const T re = x[0], im = x[1], share = scale / 2;
  x[0] = scale * (re + im), x[1] = 0;
  x[2 * half] = scale * (re - im), x[2 * half + 1] = 0;
  const T* const w = unpack_.data();
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (std::int64_t k = 1; k <= half / 2; ++k) {
    T *const a = x + 2 * k, *const b = x + 2 * (half - k);
    const T even_re = share * (a[0] + b[0]), even_im = share * (a[1] - b[1]);
    const T u = share * (a[1] + b[1]), v = share * (b[0] - a[0]);
    const T odd_re = u * w[2 * k] - v * w[2 * k + 1], odd_im = u * w[2 * k + 1] + v * w[2 * k];
    a[0] = even_re + odd_re, a[1] = even_im + odd_im;
    b[0] = even_re - odd_re, b[1] = odd_im - even_im;
  }
}

template <class T>
void LongReal<T>::pack(const T* x, T* z, int threads) const {
  const std::int64_t half = n_ / 2;
  z[0] = x[0] + x[2 * half], z[1] = x[0] - x[2 * half];
  const T* const w = unpack_.data();
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (std::int64_t k = 1; k <= half / 2; ++k) {
    const T *const a = x + 2 * k, *const b = x + 2 * (half - k);
    const T even_re = a[0] + b[0], even_im = a[1] - b[1], u = a[0] - b[0], v = a[1] + b[1];
    const T odd_re = u * w[2 * k] + v * w[2 * k + 1], odd_im = v * w[2 * k] - u * w[2 * k + 1];
    z[2 * k] = even_re - odd_im, z[2 * k + 1] = even_im + odd_re;
    z[2 * (half - k)] = even_re + odd_im, z[2 * (half - k) + 1] = odd_re - even_im;
  }
}

template <class T>
void LongReal<T>::execute(Team<T>& team, const T* in, T* out, T* work, bool backward, T scale, int thread) const {
  T* const inner = work + 2 * half_.points();
  const int threads = thread == whole_team && n_ >= min_parallel_points ? team.threads() : 1;
  if (n_ % 2 == 0 && !backward) {
    half_.execute(team, in, out, inner, false, 1, thread);
    unpack(out, scale, threads);
  } else if (n_ % 2 == 0) {
    pack(in, work, threads);
    half_.execute(team, work, out, inner, true, scale, thread);
  } else if (!backward) {
    for (std::int64_t i = 0; i < n_; ++i) work[2 * i] = in[i], work[2 * i + 1] = 0;
    half_.execute(team, work, work, inner, false, scale, thread);
    std::copy_n(work, n_ + 1, out);
  } else {
    work[0] = in[0], work[1] = 0;
    for (std::int64_t k = 1; k <= n_ / 2; ++k) {
      work[2 * k] = work[2 * (n_ - k)] = in[2 * k];
      work[2 * k + 1] = in[2 * k + 1], work[2 * (n_ - k) + 1] = -in[2 * k + 1];
    }
    half_.execute(team, work, work, inner, true, scale, thread);
    for (std::int64_t i = 0; i < n_; ++i) out[i] = work[2 * i];
  }
}

template class LongReal<float>;
template class LongReal<double>;

}  // namespace speedwell::fft

#include "speedwell/numerics/fft/cpu/long_line.hpp"

#include <bit>

#include "speedwell/numerics/fft/twiddle.hpp"

namespace speedwell::fft {
namespace {

template <class T>
void put(T* table, std::int64_t at, std::complex<T> z) {
  table[2 * at] = z.real();
  table[2 * at + 1] = z.imag();
}

template <class T>
std::complex<T> get(const T* x, std::int64_t at, bool exchange) {
  return exchange ? std::complex<T>(x[2 * at + 1], x[2 * at]) : std::complex<T>(x[2 * at], x[2 * at + 1]);
}

// The product of std::complex also handles infinities, which costs time.
template <class T>
std::complex<T> product(std::complex<T> a, const T* table, std::int64_t at) {
  const T re = table[2 * at], im = table[2 * at + 1];
  return {a.real() * re - a.imag() * im, a.real() * im + a.imag() * re};
}

// The transform of the conjugate chirp, wrapped around, divided by its number of points; in double, as in
// line_plan.cpp.
std::vector<double> long_chirp_spectrum(std::int64_t n, std::int64_t points, int threads) {
  Team<double> team(threads);
  const LongLine<double> line(points, team);
  team.allocate();
  const std::vector<double> c = chirp<double>(n);
  std::vector<double> x(2 * points), work(2 * line.work_points());
  for (std::int64_t j = 0; j < n; ++j)
    for (const std::int64_t at : {j, (points - j) % points}) put(x.data(), at, std::conj(get(c.data(), j, false)));
  line.execute(team, x.data(), x.data(), work.data(), false, 1 / static_cast<double>(points), whole_team);
  return x;
}

}  // namespace

std::int64_t first_factor(std::int64_t n, int lanes) {
  std::int64_t best = 1;
  bool best_is_whole = false;
  for (std::int64_t d = 2; d * d <= n; ++d) {
    if (n % d) continue;
    const bool whole = d % lanes == 0 && n / d % lanes == 0;
    if (whole || !best_is_whole) best = d, best_is_whole = whole;
  }
  return best;
}

template <class T>
LongLine<T>::LongLine(std::int64_t n, Team<T>& team) : n_(n) {
  if (!is_smooth(n)) {
    plan_convolution(team);
    return;
  }
  const std::int64_t first = first_factor(n, team.lanes());
  first_ = std::make_unique<LinePlan<T>>(first);
  second_ = std::make_unique<LinePlan<T>>(n / first);
  plan_twiddles(team.lanes());
  team.reserve(n / first);
}

template <class T>
void LongLine<T>::plan_twiddles(int lanes) {
  bits_ = std::bit_width(static_cast<std::uint64_t>(n_)) / 2;
  const std::int64_t low = std::int64_t{1} << bits_, high = (n_ - 1) / low + 1, points = second_->tables().n;
  low_.resize(2 * low);
  high_.resize(2 * high);
  lanes_.resize(2 * points * lanes);
  for (std::int64_t j = 0; j < std::min(low, n_); ++j) put(low_.data(), j, twiddle<T>(j, n_));
  for (std::int64_t j = 0; j < high; ++j) put(high_.data(), j, twiddle<T>(j * low, n_));
  for (std::int64_t j = 0; j < points; ++j)
    for (int l = 0; l < lanes; ++l) {
      const std::complex<T> w = twiddle<T>(j * l % n_, n_);
      lanes_[2 * lanes * j + l] = w.real();
      lanes_[2 * lanes * j + lanes + l] = w.imag();
    }
}

template <class T>
void LongLine<T>::plan_convolution(Team<T>& team) {
  longer_ = std::make_unique<LongLine<T>>(convolution_length(2 * n_ - 1), team);
  chirp_ = chirp<T>(n_);
  const std::vector<double> spectrum = long_chirp_spectrum(n_, longer_->n_, team.threads());
  spectrum_.assign(spectrum.begin(), spectrum.end());
}

template <class T>
void LongLine<T>::execute(Team<T>& team, const T* in, T* out, T* work, bool backward, T scale, int thread) const {
  longer_ ? convolve(team, in, out, work, backward, scale, thread)
          : four_steps(team, in, out, work, backward, scale, thread);
}

// With n = N1 N2, j = N2 j1 + j2 and k = k1 + N1 k2: transforms over j1, twiddle factors w^{j2 k1}, transforms over j2.
// The second transforms apply the twiddle factors in their loads and the transposition in their stores.
template <class T>
void LongLine<T>::four_steps(Team<T>& team, const T* in, T* out, T* work, bool backward, T scale, int thread) const {
  const std::int64_t n1 = first_->tables().n, n2 = second_->tables().n;
  const LineSet<T> columns{.complex = &first_->tables(),
                           .count = n2,
                           .in = in,
                           .in_element = 2 * n2,
                           .out = work,
                           .out_element = 2 * n2,
                           .backward = backward};
  const LineSet<T> rows{.complex = &second_->tables(),
                        .count = n1,
                        .in = work,
                        .in_lane = 2 * n2,
                        .out = out,
                        .out_element = 2 * n1,
                        .backward = backward,
                        .scale = scale,
                        .twiddles = {.high = high_.data(), .low = low_.data(), .bits = bits_, .lanes = lanes_.data()}};
  if (thread == whole_team) {
    transform_all(team, columns, n_);
    transform_all(team, rows, n_);
  } else {
    transform_serially(team, columns, thread);
    transform_serially(team, rows, thread);
  }
}

template <class T>
void LongLine<T>::convolve(Team<T>& team, const T* in, T* out, T* work, bool backward, T scale, int thread) const {
  const std::int64_t points = longer_->n_;
  T *const a = work, *const inner = work + 2 * points;
  const int threads = thread == whole_team && points >= min_parallel_points ? team.threads() : 1;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (std::int64_t j = 0; j < points; ++j)
    put(a, j, j < n_ ? product(get(in, j, backward), chirp_.data(), j) : std::complex<T>());
  longer_->execute(team, a, a, inner, false, 1, thread);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (std::int64_t j = 0; j < points; ++j) put(a, j, product(get(a, j, false), spectrum_.data(), j));
  longer_->execute(team, a, a, inner, true, 1, thread);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (std::int64_t k = 0; k < n_; ++k) {
    const std::complex<T> z = scale * product(get(a, k, false), chirp_.data(), k);
    put(out, k, backward ? std::complex<T>(z.imag(), z.real()) : z);
  }
}

template class LongLine<float>;
template class LongLine<double>;

}  // namespace speedwell::fft

#include "speedwell/apps/fft/study.hpp"

#include <bit>
#include <stdexcept>
#include <string>

#include "speedwell/numerics/fft/overlap.hpp"
#include "speedwell/numerics/fft/twiddle.hpp"

namespace speedwell::fft {
namespace {

// The product of std::complex also handles infinities, which costs time.
template <class T>
std::complex<T> times(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

int log2_of(std::int64_t n) { return std::bit_width(static_cast<std::uint64_t>(n)) - 1; }

std::vector<std::int64_t> reversed_digits(std::int64_t n, int bits_of_digit) {
  std::vector<std::int64_t> reversed(n);
  const int bits = log2_of(n);
  const std::int64_t digit = (std::int64_t{1} << bits_of_digit) - 1;
  for (std::int64_t i = 0; i < n; ++i)
    for (int b = 0; b < bits; b += bits_of_digit) reversed[i] |= ((i >> b) & digit) << (bits - bits_of_digit - b);
  return reversed;
}

}  // namespace

std::string_view to_string(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::recursive:
      return "recursive";
    case Algorithm::radix2:
      return "radix-2";
    case Algorithm::radix4:
      return "radix-4";
    case Algorithm::bit_reversed_1:
      return "bit-reversed-1";
    case Algorithm::bit_reversed_2:
      break;
  }
  return "bit-reversed-2";
}

bool supports(Algorithm algorithm, std::int64_t n) {
  if (n < 1 || !std::has_single_bit(static_cast<std::uint64_t>(n))) return false;
  return algorithm != Algorithm::radix4 || log2_of(n) % 2 == 0;
}

template <class T>
StudyTransform<T>::StudyTransform(Algorithm algorithm, std::int64_t n, Direction direction)
    : algorithm_(algorithm), n_(n), direction_(direction) {
  if (!supports(algorithm, n))
    throw std::invalid_argument("fft: " + std::string(to_string(algorithm)) + " needs a power of " +
                                (algorithm == Algorithm::radix4 ? "four" : "two") + ", not " + std::to_string(n));
  const auto w = [&](std::int64_t j, std::int64_t of) {
    const Complex z = twiddle<T>(j, of);
    return direction == Direction::forward ? z : std::conj(z);
  };
  if (algorithm == Algorithm::bit_reversed_2) {
    for (std::int64_t length = 2; length <= n; length *= 2)
      for (std::int64_t k = 0; k < length / 2; ++k) twiddles_.push_back(w(k, length));
  } else {
    for (std::int64_t j = 0; j < n; ++j) twiddles_.push_back(w(j, n));
  }
  if (algorithm != Algorithm::recursive) reversed_ = reversed_digits(n, algorithm == Algorithm::radix4 ? 2 : 1);
}

template <class T>
void StudyTransform<T>::execute(std::span<const Complex> in, std::span<Complex> out) const {
  if (in.size() != static_cast<std::size_t>(n_) || out.size() != in.size())
    throw std::invalid_argument("fft: a transform of " + std::to_string(n_) + " points was given " +
                                std::to_string(in.size()) + " and " + std::to_string(out.size()));
  if (overlap(in.data(), in.size_bytes(), out.data(), out.size_bytes()))
    throw std::invalid_argument("fft: in and out overlap; the study's algorithms work out of place");
  switch (algorithm_) {
    case Algorithm::recursive:
      return recursive(in.data(), 1, out.data(), n_);
    case Algorithm::bit_reversed_1:
    case Algorithm::bit_reversed_2:
      for (std::int64_t i = 0; i < n_; ++i) out[i] = in[reversed_[i]];
      return algorithm_ == Algorithm::bit_reversed_1 ? bit_reversed_1(out.data()) : bit_reversed_2(out.data());
    case Algorithm::radix2:
    case Algorithm::radix4:
      for (std::int64_t i = 0; i < n_; ++i) out[i] = in[i];
      algorithm_ == Algorithm::radix2 ? radix2(out.data()) : radix4(out.data());
      for (std::int64_t i = 0; i < n_; ++i)
        if (i < reversed_[i]) std::swap(out[i], out[reversed_[i]]);
  }
}

template <class T>
std::complex<T> StudyTransform<T>::times_root_of_4(Complex z) const {
  return direction_ == Direction::forward ? Complex(z.imag(), -z.real()) : Complex(-z.imag(), z.real());
}

template <class T>
void StudyTransform<T>::recursive(const Complex* in, std::int64_t stride, Complex* out, std::int64_t n) const {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  if (n == 4) {  // the base case without products
    const Complex a = in[0] + in[2 * stride], b = in[0] - in[2 * stride];
    const Complex c = in[stride] + in[3 * stride], d = times_root_of_4(in[stride] - in[3 * stride]);
    out[0] = a + c, out[1] = b + d, out[2] = a - c, out[3] = b - d;
    return;
  }
  const std::int64_t half = n / 2;
  recursive(in, 2 * stride, out, half);
  recursive(in + stride, 2 * stride, out + half, half);
  for (std::int64_t k = 0; k < half; ++k) {
    const Complex even = out[k], odd = times(twiddles_[k * stride], out[half + k]);
    out[k] = even + odd;
    out[half + k] = even - odd;
  }
}

template <class T>
void StudyTransform<T>::radix2(Complex* x) const {
  for (std::int64_t length = n_; length > 1; length /= 2) {
    const std::int64_t half = length / 2, step = n_ / length;
    for (std::int64_t block = 0; block < n_; block += length)
      for (std::int64_t k = 0; k < half; ++k) {
        const Complex a = x[block + k], b = x[block + half + k];
        x[block + k] = a + b;
        x[block + half + k] = times(a - b, twiddles_[k * step]);
      }
  }
}

template <class T>
void StudyTransform<T>::radix4(Complex* x) const {
  for (std::int64_t length = n_; length > 1; length /= 4) {
    const std::int64_t quarter = length / 4, step = n_ / length;
    for (std::int64_t block = 0; block < n_; block += length)
      for (std::int64_t k = 0; k < quarter; ++k) {
        Complex* const p = x + block + k;
        const Complex a = p[0] + p[2 * quarter], b = p[0] - p[2 * quarter];
        const Complex c = p[quarter] + p[3 * quarter], d = times_root_of_4(p[quarter] - p[3 * quarter]);
        p[0] = a + c;
        p[quarter] = times(b + d, twiddles_[k * step]);
        p[2 * quarter] = times(a - c, twiddles_[2 * k * step]);
        p[3 * quarter] = times(b - d, twiddles_[3 * k * step]);
      }
  }
}

template <class T>
void StudyTransform<T>::bit_reversed_1(Complex* x) const {
  for (std::int64_t length = 2; length <= n_; length *= 2) {
    const std::int64_t half = length / 2, step = n_ / length;
    for (std::int64_t k = 0; k < half; ++k) {
      const Complex w = twiddles_[k * step];
      for (std::int64_t i = k; i < n_; i += length) {
        const Complex a = x[i], b = times(w, x[i + half]);
        x[i] = a + b;
        x[i + half] = a - b;
      }
    }
  }
}

template <class T>
void StudyTransform<T>::bit_reversed_2(Complex* x) const {
  const Complex* w = twiddles_.data();
  for (std::int64_t length = 2; length <= n_; w += length / 2, length *= 2) {
    const std::int64_t half = length / 2;
    for (std::int64_t block = 0; block < n_; block += length)
      for (std::int64_t k = 0; k < half; ++k) {
        const Complex a = x[block + k], b = times(w[k], x[block + half + k]);
        x[block + k] = a + b;
        x[block + half + k] = a - b;
      }
  }
}

Traffic study_traffic(Algorithm algorithm, const Shape& shape, std::size_t real_bytes) {
  double points = 1;
  for (const std::int64_t n : shape.extents) points *= static_cast<double>(n);
  const double array_bytes = 2 * static_cast<double>(real_bytes) * points * static_cast<double>(shape.batch);
  const auto log_n = static_cast<double>(std::countr_zero(static_cast<std::uint64_t>(shape.extents.back())));
  double all = 0;
  switch (algorithm) {
    case Algorithm::recursive:
      return best_traffic(Kind::complex, Direction::forward, shape, real_bytes);
    case Algorithm::radix2:
      all = 2 + log_n;
      break;  // the copy, the stages and the reordering
    case Algorithm::radix4:
      all = 2 + log_n / 2;
      break;
    case Algorithm::bit_reversed_1:
    case Algorithm::bit_reversed_2:
      all = 1 + log_n;
      break;
  }
  return {all * array_bytes, all * array_bytes};
}

template class StudyTransform<float>;
template class StudyTransform<double>;

}  // namespace speedwell::fft

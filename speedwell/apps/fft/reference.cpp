#include "speedwell/apps/fft/reference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace speedwell::fft::reference {
namespace {

// For larger prime factors, direct sums cost more than Bluestein's algorithm.
constexpr std::int64_t largest_direct_prime = 61;
// Smaller transforms are not worth a task of their own.
constexpr std::int64_t min_task = 1 << 14;

// The product of std::complex also handles infinities, which costs time.
Complex times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

std::int64_t smallest_prime_factor(std::int64_t n) {
  for (std::int64_t p = 2; p * p <= n; ++p)
    if (n % p == 0) return p;
  return n;
}

// The N-th roots of unity as products of two entries of tables of about sqrt(N) entries.
class Roots {
 public:
  explicit Roots(std::int64_t n) : low_bits_((std::bit_width(static_cast<std::uint64_t>(n)) + 1) / 2) {
    const std::int64_t low = std::min(n, std::int64_t{1} << low_bits_);
    for (std::int64_t j = 0; j < low; ++j) low_.push_back(root(j, n));
    for (std::int64_t j = 0; j < n; j += low) high_.push_back(root(j, n));
  }
  Complex operator()(std::int64_t j) const {
    return times(high_[j >> low_bits_], low_[j & ((std::int64_t{1} << low_bits_) - 1)]);
  }

 private:
  int low_bits_;
  std::vector<Complex> low_, high_;
};

// Decimation in time over the smallest prime factor.
class Recursion {
 public:
  explicit Recursion(std::int64_t n) : n_(n), root_of_n_(n) {}

  void transform(const Complex* in, std::int64_t stride, Complex* out, std::int64_t n) const {
    if (n == 1) {
      *out = *in;
      return;
    }
    const std::int64_t p = smallest_prime_factor(n);
    if (p > largest_direct_prime) return chirp(in, stride, out, n);
    const std::int64_t m = n / p;
    for (std::int64_t q = 0; q < p; ++q) {
#pragma omp task if (m >= min_task)
      transform(in + q * stride, stride * p, out + q * m, m);
    }
#pragma omp taskwait
    p == 2 ? combine_two(out, m) : combine(out, p, m);
  }

 private:
  void combine_two(Complex* out, std::int64_t m) const {
    const std::int64_t step = n_ / (2 * m);
    for (std::int64_t k = 0; k < m; ++k) {
      const Complex even = out[k], odd = times(out[m + k], root_of_n_(k * step));
      out[k] = even + odd;
      out[m + k] = even - odd;
    }
  }
  void combine(Complex* out, std::int64_t p, std::int64_t m) const {
    const std::int64_t step = n_ / (p * m);
    Complex part[largest_direct_prime], root_of_p[largest_direct_prime];
    for (std::int64_t q = 0; q < p; ++q) root_of_p[q] = root(q, p);
    for (std::int64_t k = 0; k < m; ++k) {
      for (std::int64_t q = 0; q < p; ++q) part[q] = times(out[q * m + k], root_of_n_(q * k * step));
      for (std::int64_t r = 0; r < p; ++r) {
        Complex sum = 0;
        for (std::int64_t q = 0; q < p; ++q) sum += times(part[q], root_of_p[q * r % p]);
        out[r * m + k] = sum;
      }
    }
  }
  // Bluestein's algorithm: 2 n k = n^2 + k^2 - (k - n)^2 turns the transform into a convolution.
  static void chirp(const Complex* in, std::int64_t stride, Complex* out, std::int64_t n) {
    const auto length = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * n - 1)));
    std::vector<Complex> c(n), a(length), b(length);
    for (std::int64_t j = 0, square = 0; j < n; ++j) {
      c[j] = root(square, 2 * n);  // square = j^2 mod 2n
      square = (square + 2 * j + 1) % (2 * n);
      a[j] = times(in[j * stride], c[j]);
      b[j] = b[(length - j) % length] = std::conj(c[j]);
    }
    a = forward(a);
    b = forward(b);
    for (std::int64_t j = 0; j < length; ++j) a[j] = times(a[j], b[j]);
    a = backward(a);
    for (std::int64_t k = 0; k < n; ++k) out[k] = times(a[k], c[k]) / static_cast<Real>(length);
  }

  std::int64_t n_;
  Roots root_of_n_;
};

std::vector<Complex> conjugates(std::span<const Complex> x) {
  std::vector<Complex> y(x.size());
  std::transform(x.begin(), x.end(), y.begin(), [](Complex z) { return std::conj(z); });
  return y;
}

void forward_along(std::span<Complex> x, std::int64_t n, std::int64_t inner) {
  const auto lines = static_cast<std::int64_t>(x.size()) / n;
  const Recursion recursion(n);
#pragma omp parallel
  {
    std::vector<Complex> line;
#pragma omp for schedule(static)
    for (std::int64_t l = 0; l < lines; ++l) {
      line.resize(n);  // resized here, so that threads without lines allocate nothing
      Complex* const first = x.data() + l / inner * n * inner + l % inner;
      recursion.transform(first, inner, line.data(), n);
      for (std::int64_t i = 0; i < n; ++i) first[i * inner] = line[i];
    }
  }
}

}  // namespace

Complex root(std::int64_t j, std::int64_t n) {
  // The angle in units of one eighth of 2 pi / n.
  std::int64_t eighths = 8 * j;
  const bool below = eighths > 4 * n;
  if (below) eighths = 8 * n - eighths;
  const bool left = eighths > 2 * n;
  if (left) eighths = 4 * n - eighths;
  const bool steep = eighths > n;
  if (steep) eighths = 2 * n - eighths;
  const Real angle = std::numbers::pi_v<Real> * static_cast<Real>(eighths) / static_cast<Real>(4 * n);
  Real c = std::cos(angle), s = std::sin(angle);
  if (steep) std::swap(c, s);
  return {left ? -c : c, below ? s : -s};
}

std::vector<Complex> direct(std::span<const Complex> x) {
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<Complex> roots(n), sums(n);
  for (std::int64_t j = 0; j < n; ++j) roots[j] = root(j, n);
#pragma omp parallel for schedule(static) if (n > 256)
  for (std::int64_t k = 0; k < n; ++k)
    for (std::int64_t i = 0, j = 0; i < n; ++i) {  // j = i k mod n
      sums[k] += times(x[i], roots[j]);
      j = j + k < n ? j + k : j + k - n;
    }
  return sums;
}

Complex direct_bin(std::span<const Complex> x, std::int64_t k) {
  const auto n = static_cast<std::int64_t>(x.size());
  Complex sum = 0;
  for (std::int64_t i = 0, j = 0; i < n; ++i) {
    sum += times(x[i], root(j, n));
    j = (j + k) % n;
  }
  return sum;
}

std::vector<Complex> forward(std::span<const Complex> x) {
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<Complex> out(n);
  const Recursion recursion(n);
#pragma omp parallel if (n >= 2 * min_task)
#pragma omp single
  recursion.transform(x.data(), 1, out.data(), n);
  return out;
}

std::vector<Complex> backward(std::span<const Complex> x) { return conjugates(forward(conjugates(x))); }

void forward(std::span<Complex> x, std::span<const std::int64_t> extents) {
  std::int64_t inner = 1;
  for (std::size_t axis = extents.size(); axis-- > 0; inner *= extents[axis]) forward_along(x, extents[axis], inner);
}

void backward(std::span<Complex> x, std::span<const std::int64_t> extents) {
  for (Complex& z : x) z = std::conj(z);
  forward(x, extents);
  for (Complex& z : x) z = std::conj(z);
}

}  // namespace speedwell::fft::reference

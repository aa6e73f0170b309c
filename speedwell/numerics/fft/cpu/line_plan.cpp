#include "speedwell/numerics/fft/cpu/line_plan.hpp"

#include "speedwell/numerics/fft/twiddle.hpp"

namespace speedwell::fft {
namespace {

template <class T>
void append(std::vector<T>& table, std::complex<T> z) {
  table.push_back(z.real());
  table.push_back(z.imag());
}

// Odd factors first, then as many eights as leave no single 2: 16 is 4 x 4 and not 8 x 2.
std::vector<int> radices(std::int64_t n) {
  std::vector<int> radices;
  for (const int p : {13, 11, 7, 5, 3})
    for (; n % p == 0; n /= p) radices.push_back(p);
  int twos = 0;
  for (; n > 1; n /= 2) ++twos;
  for (; twos % 3 != 0 && twos > 1; twos -= 2) radices.push_back(4);
  if (twos == 1) radices.push_back(2);
  for (; twos >= 3; twos -= 3) radices.push_back(8);
  if (radices.empty()) radices.push_back(1);
  return radices;
}

// The transform of the conjugate chirp, wrapped around, divided by its number of points. It is always computed in
// double, because its error affects every result.
std::vector<double> chirp_spectrum(std::int64_t n, std::int64_t points) {
  const std::vector<double> c = chirp<double>(n);
  const LinePlan<double> plan(points);
  const LineKernels<double> kernels = line_kernels<double>(core::best_isa());
  std::vector<double> x(2 * points), buffers(4 * points * kernels.lanes);
  for (std::int64_t j = 0; j < n; ++j)
    for (const std::int64_t at : {j, (points - j) % points}) x[2 * at] = c[2 * j], x[2 * at + 1] = -c[2 * j + 1];
  Lines<double> line{.in = x.data(), .out = x.data(), .count = 1, .scale = 1 / static_cast<double>(points)};
  line.buffer[0] = buffers.data();
  line.buffer[1] = buffers.data() + 2 * points * kernels.lanes;
  kernels.complex(plan.tables(), line);
  return x;
}

}  // namespace

bool is_smooth(std::int64_t n) {
  for (const int p : {2, 3, 5, 7, 11, 13})
    while (n % p == 0) n /= p;
  return n == 1;
}

std::int64_t convolution_length(std::int64_t n) {
  std::int64_t best = 1;
  while (best < n) best *= 2;
  for (std::int64_t fives = 1; fives < best; fives *= 5)
    for (std::int64_t odd = fives; odd < best; odd *= 3) {
      std::int64_t length = odd;
      while (length < n) length *= 2;
      if (length < best) best = length;
    }
  return best;
}

template <class T>
std::vector<T> chirp(std::int64_t n) {
  std::vector<T> table;
  for (std::int64_t j = 0, square = 0; j < n; ++j) {  // square = j^2 mod 2n
    append(table, twiddle<T>(square, 2 * n));
    square = (square + 2 * j + 1) % (2 * n);
  }
  return table;
}

template <class T>
std::vector<T> unpack_table(std::int64_t n) {
  std::vector<T> table;
  for (std::int64_t k = 0; 4 * k <= n; ++k) append(table, twiddle<T>(k, n));
  return table;
}

template <class T>
LinePlan<T>::LinePlan(std::int64_t n) {
  tables_.n = n;
  is_smooth(n) ? plan_passes() : plan_convolution();
}

template <class T>
void LinePlan<T>::plan_passes() {
  std::int64_t stride = 1;
  for (const int radix : radices(tables_.n)) {
    const std::int64_t length = tables_.n / stride, groups = length / radix;
    std::vector<T>& table = twiddles_.emplace_back();
    for (std::int64_t p = 0; p < groups; ++p)
      for (std::int64_t k = 1; k < radix; ++k) append(table, twiddle<T>(p * k, length));
    tables_.pass[tables_.passes++] = {radix, groups, stride, table.data()};
    stride *= radix;
  }
}

template <class T>
void LinePlan<T>::plan_convolution() {
  longer_ = std::make_unique<LinePlan<T>>(convolution_length(2 * tables_.n - 1));
  chirp_ = chirp<T>(tables_.n);
  const std::vector<double> spectrum = chirp_spectrum(tables_.n, longer_->tables().n);
  spectrum_.assign(spectrum.begin(), spectrum.end());
  tables_.convolution = &longer_->tables();
  tables_.chirp = chirp_.data();
  tables_.spectrum = spectrum_.data();
}

template <class T>
RealLinePlan<T>::RealLinePlan(std::int64_t n) : half_(n % 2 ? n : n / 2) {
  if (n % 2 == 0) unpack_ = unpack_table<T>(n);
  tables_ = {n, &half_.tables(), unpack_.data()};
}

template <class T>
std::int64_t RealLinePlan<T>::buffer_points() const {
  return std::max(half_.tables().buffer_points(), tables_.n / 2 + 1);
}

template std::vector<float> chirp(std::int64_t);
template std::vector<double> chirp(std::int64_t);
template std::vector<float> unpack_table(std::int64_t);
template std::vector<double> unpack_table(std::int64_t);
template class LinePlan<float>;
template class LinePlan<double>;
template class RealLinePlan<float>;
template class RealLinePlan<double>;

}  // namespace speedwell::fft

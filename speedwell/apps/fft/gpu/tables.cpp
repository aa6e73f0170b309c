#include "speedwell/apps/fft/gpu/tables.hpp"

#include <algorithm>

#include "speedwell/apps/fft/fft.hpp"
#include "speedwell/apps/fft/gpu/line.hpp"
#include "speedwell/apps/fft/line_plan.hpp"
#include "speedwell/apps/fft/twiddle.hpp"

namespace speedwell::fft::gpu {

template <class T>
std::vector<std::complex<T>> line_table(int log_n) {
  const LineRadices radices = line_radices(log_n);
  std::vector<std::complex<T>> table;
  int log_s = radices.log_radix[0];
  for (int pass = 1; pass < radices.passes; log_s += radices.log_radix[pass++]) {
    const std::int64_t s = std::int64_t{1} << log_s, length = s << radices.log_radix[pass];
    for (std::int64_t power = 1; power * s < length; power *= 2)
      for (std::int64_t q = 0; q < s; ++q) table.push_back(twiddle<T>(q * power, length));
  }
  return table;
}

SmoothRadices smooth_radices(std::int64_t n) {
  SmoothRadices r{.n = static_cast<int>(n)};
  int size = 0, s = 1;
  for (const int radix : {13, 11, 7, 5, 3, 8, 4, 2})
    for (; n % radix == 0; n /= radix) {
      r.table[r.passes] = size;
      r.radix[r.passes++] = radix;
      if (s > 1) size += (radix - 1) * s;
      s *= radix;
    }
  return r;
}

template <class T>
std::vector<std::complex<T>> smooth_table(const SmoothRadices& radices) {
  std::vector<std::complex<T>> table;
  std::int64_t s = radices.radix[0];
  for (int pass = 1; pass < radices.passes; s *= radices.radix[pass++])
    for (std::int64_t k = 1; k < radices.radix[pass]; ++k)
      for (std::int64_t q = 0; q < s; ++q) table.push_back(twiddle<T>(q * k, s * radices.radix[pass]));
  return table;
}

template <class T>
RootTables<T> root_tables(std::int64_t n) {
  RootTables<T> tables;
  while (std::int64_t{1} << (2 * tables.log_low) < n) ++tables.log_low;
  const std::int64_t step = std::int64_t{1} << tables.log_low;
  for (std::int64_t j = 0; j < std::min(step, n); ++j) tables.low.push_back(twiddle<T>(j, n));
  for (std::int64_t j = 0; j < n; j += step) tables.high.push_back(twiddle<T>(j, n));
  return tables;
}

template <class T>
std::vector<std::complex<T>> chirp_table(std::int64_t n) {
  const std::vector<T> parts = chirp<T>(n);
  std::vector<std::complex<T>> table;
  for (std::size_t i = 0; i < parts.size(); i += 2) table.emplace_back(parts[i], parts[i + 1]);
  return table;
}

// In double whatever T is: its error is one of all results.
template <class T>
std::vector<std::complex<T>> convolution_table(std::int64_t n, std::int64_t longer) {
  const auto c = chirp_table<double>(n);
  std::vector<std::complex<double>> x(longer);
  for (std::int64_t j = 0; j < n; ++j) x[j] = x[(longer - j) % longer] = std::conj(c[j]) / static_cast<double>(longer);
  Plan<double>({.extents = {longer}}).forward(x);
  return {x.begin(), x.end()};
}

#define SPEEDWELL_TABLES(T)                                                 \
  template std::vector<std::complex<T>> line_table(int);                    \
  template std::vector<std::complex<T>> smooth_table(const SmoothRadices&); \
  template RootTables<T> root_tables(std::int64_t);                         \
  template std::vector<std::complex<T>> chirp_table(std::int64_t);          \
  template std::vector<std::complex<T>> convolution_table(std::int64_t, std::int64_t);
SPEEDWELL_TABLES(float)
SPEEDWELL_TABLES(double)
#undef SPEEDWELL_TABLES

}  // namespace speedwell::fft::gpu

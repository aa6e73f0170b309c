#include "speedwell/numerics/fft/gpu/tables.hpp"

#include <algorithm>

#include "speedwell/numerics/fft/cpu/line_plan.hpp"
#include "speedwell/numerics/fft/fft.hpp"
#include "speedwell/numerics/fft/gpu/device/cube_tiles.hpp"
#include "speedwell/numerics/fft/gpu/device/line.hpp"
#include "speedwell/numerics/fft/twiddle.hpp"

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

template <class T>
std::vector<std::complex<T>> roots_of_unity(std::int64_t n) {
  std::vector<std::complex<T>> roots;
  for (std::int64_t j = 0; j < n; ++j) roots.push_back(twiddle<T>(j, n));
  return roots;
}

template <class T, class Tile>
std::vector<std::complex<T>> tile_table() {
  std::vector<std::complex<T>> table;
  for (int q = 0; q < Tile::rounds; ++q)
    for (int d = 0; d < Tile::round[q].digits; ++d) {
      const int below = TileMap<Tile>::bits_below(q, d), log_radix = Tile::round[q].digit[d].log;
      const std::int64_t length = std::int64_t{1} << (below + log_radix);
      for (int m = 0; below > 0 && m < log_radix; ++m)
        for (std::int64_t j = 0; j < std::int64_t{1} << below; ++j) table.push_back(twiddle<T>(j << m, length));
    }
  return table;
}

namespace {

// The shortest list of radices up to max_factor whose product is n, in ascending order; among these, the one with the
// smallest maximum.
std::vector<int> fewest_radices(std::int64_t n, int max_factor) {
  std::vector<int> best;
  for (const int radix : {13, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2}) {
    if (radix > max_factor || n % radix != 0) continue;
    std::vector<int> rest;
    if (n > radix) {
      rest = fewest_radices(n / radix, radix);
      if (rest.empty()) continue;
    }
    rest.push_back(radix);
    if (best.empty() || rest.size() <= best.size()) best = std::move(rest);
  }
  return best;
}

}  // namespace

SmoothLine smooth_line(std::int64_t n) {
  SmoothLine line;
  line.n = static_cast<int>(n);
  std::vector<int> radices = fewest_radices(n, max_radix);
  // Odd radices first: the first pass writes with a stride of its radix, which then covers all banks.
  std::sort(radices.begin(), radices.end(), [](int a, int b) { return a % 2 != b % 2 ? a % 2 == 1 : a < b; });
  int size = 0, s = 1;
  for (const int radix : radices) {
    line.pass[line.passes++] = {radix, size, Divisor(line.n / radix), Divisor(s)};
    if (s > 1) size += (radix - 1) * s;
    s *= radix;
  }
  return line;
}

template <class T>
std::vector<std::complex<T>> smooth_table(const SmoothLine& line) {
  std::vector<std::complex<T>> table;
  for (int p = 1; p < line.passes; ++p) {
    const std::int64_t radix = line.pass[p].radix, s = line.pass[p].s.divisor;
    for (std::int64_t k = 1; k < radix; ++k)
      for (std::int64_t q = 0; q < s; ++q) table.push_back(twiddle<T>(q * k, s * radix));
  }
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
  const std::vector<T> components = chirp<T>(n);
  std::vector<std::complex<T>> table;
  for (std::size_t i = 0; i < components.size(); i += 2) table.emplace_back(components[i], components[i + 1]);
  return table;
}

// Computed in double for every T, because its error affects all results.
template <class T>
std::vector<std::complex<T>> convolution_table(std::int64_t n, std::int64_t longer) {
  const auto c = chirp_table<double>(n);
  std::vector<std::complex<double>> x(longer);
  for (std::int64_t j = 0; j < n; ++j) x[j] = x[(longer - j) % longer] = std::conj(c[j]) / static_cast<double>(longer);
  Plan<double>({.extents = {longer}}).forward(x);
  return {x.begin(), x.end()};
}

#define SPEEDWELL_TABLES(T)                                              \
  template std::vector<std::complex<T>> line_table(int);                 \
  template std::vector<std::complex<T>> roots_of_unity(std::int64_t);    \
  template std::vector<std::complex<T>> tile_table<T, RowsTile>();       \
  template std::vector<std::complex<T>> tile_table<T, ColumnsTile>();    \
  template std::vector<std::complex<T>> smooth_table(const SmoothLine&); \
  template RootTables<T> root_tables(std::int64_t);                      \
  template std::vector<std::complex<T>> chirp_table(std::int64_t);       \
  template std::vector<std::complex<T>> convolution_table(std::int64_t, std::int64_t);
SPEEDWELL_TABLES(float)
SPEEDWELL_TABLES(double)
#undef SPEEDWELL_TABLES

}  // namespace speedwell::fft::gpu

#include "speedwell/apps/fft/gpu/tables.hpp"

#include "speedwell/apps/fft/gpu/line.hpp"
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

template std::vector<std::complex<float>> line_table(int);
template std::vector<std::complex<double>> line_table(int);

}  // namespace speedwell::fft::gpu

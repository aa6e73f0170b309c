#include "speedwell/numerics/fft/gpu/method.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "speedwell/numerics/fft/cpu/line_plan.hpp"
#include "speedwell/numerics/fft/gpu/device/block.hpp"
#include "speedwell/numerics/fft/gpu/device/line.hpp"

namespace speedwell::fft::gpu {
namespace {

std::int64_t max_in_block(std::size_t real_bytes) {
  return std::int64_t{1} << (real_bytes == 8 ? max_log_f64 : max_log_f32);
}
// The limit follows from two buffers in shared memory.
std::int64_t max_smooth(std::size_t real_bytes) { return real_bytes == 8 ? 4096 : 8192; }
bool is_power(std::int64_t n) { return std::has_single_bit(static_cast<std::uint64_t>(n)); }

// Columns of a power of two are read in segments of 128 bytes up to 2^9 points in f64 and 2^10 in f32; a factor of up
// to four more costs less than another pass over memory.
int factors_of_power(int log_n, std::size_t real_bytes) {
  const int max_log_of_two_factors = real_bytes == 8 ? 22 : 24;
  if (log_n <= max_log_of_two_factors) return 2;
  return log_n <= 3 * max_log_f64 ? 3 : 0;
}

// The largest divisor of n that is at most `wanted`.
std::int64_t divisor_at(std::int64_t n, std::int64_t wanted) {
  while (n % wanted != 0) --wanted;
  return wanted;
}

std::vector<std::int64_t> factors_of(std::int64_t n, std::size_t real_bytes) {
  const std::int64_t max_factor = max_smooth(real_bytes);
  int count = n <= max_factor * max_factor ? 2 : 3;
  if (is_power(n)) count = factors_of_power(std::countr_zero(static_cast<std::uint64_t>(n)), real_bytes);
  std::vector<std::int64_t> factors;
  for (; count > 1; --count) {
    const double root = std::pow(static_cast<double>(n), 1.0 / count);
    factors.push_back(divisor_at(n, static_cast<std::int64_t>(root * (1 + 1e-12))));
    n /= factors.back();
  }
  factors.push_back(n);
  if (factors.back() > max_factor) factors.clear();
  return factors;
}

}  // namespace

LineMethod line_method(std::int64_t n, std::size_t real_bytes) {
  using Kind = LineMethod::Kind;
  if (is_power(n) && n <= max_in_block(real_bytes)) return {Kind::power, n, {}};
  if (is_smooth(n) && n <= max_smooth(real_bytes)) return {Kind::smooth, n, {}};
  if (is_smooth(n)) {
    if (auto factors = factors_of(n, real_bytes); !factors.empty()) return {Kind::steps, n, std::move(factors)};
  }
  return {Kind::convolution, n, {}, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * n - 1)))};
}

std::int64_t lines_per_batch(const LineMethod& method, std::int64_t lines) {
  return std::clamp<std::int64_t>((std::int64_t{1} << 25) / std::max(method.n, method.longer), 1, lines);
}

std::int64_t work_points(const LineMethod& method, std::int64_t lines, bool rows, std::size_t real_bytes) {
  const std::int64_t some = lines_per_batch(method, lines);
  if (method.kind == LineMethod::Kind::steps) return some * method.n * (rows ? 1 : 2);
  if (method.kind != LineMethod::Kind::convolution || method.longer <= max_in_block(real_bytes)) return 0;
  return some * method.longer + work_points(line_method(method.longer, real_bytes), some, true, real_bytes);
}

bool is_two_pass_array(std::span<const std::int64_t> extents) {
  return extents.size() == 3 &&
         std::all_of(extents.begin(), extents.end(), [](auto n) { return n == two_pass_extent; });
}

bool is_plane(std::int64_t rows, std::int64_t columns, std::size_t real_bytes) {
  const auto fits = [](std::int64_t n) { return n >= 1 << min_plane_log && n <= 1 << max_plane_log && is_power(n); };
  // The threads of a block for columns have 16 points each.
  const std::int64_t points_of_block = real_bytes == 8 ? 16 * column_threads<double> : 16 * column_threads<float>;
  return fits(rows) && fits(columns) && rows * columns >= points_of_block;
}

bool stores_in_passes(std::span<const std::int64_t> extents, std::size_t real_bytes) {
  return extents.size() == 3 && is_plane(extents[0], extents[2], real_bytes) &&
         is_plane(extents[1], extents[2], real_bytes);
}

}  // namespace speedwell::fft::gpu

namespace speedwell::fft {

double gpu_bytes(Kind kind, const Shape& shape, std::string_view step, std::size_t real_bytes) {
  const std::int64_t n = shape.extents.back();
  double rows = static_cast<double>(shape.batch);
  for (std::size_t d = 0; d + 1 < shape.extents.size(); ++d) rows *= static_cast<double>(shape.extents[d]);
  const double row = static_cast<double>(n), complex_bytes = 2.0 * static_cast<double>(real_bytes);
  const double spectrum = rows * (kind == Kind::real ? row / 2 + 1 : row) * complex_bytes;
  const double data = kind == Kind::real ? rows * row * complex_bytes / 2 : spectrum;
  double work = step == "cuda-transposed" || (kind == Kind::real && shape.extents.size() > 1) ? spectrum : 0;
  if (kind == Kind::real && n % 2 == 1) work += rows * row * complex_bytes;
  double max_points = 0;
  for (std::size_t d = shape.extents.size(); d-- > 0;) {
    const bool is_row = d + 1 == shape.extents.size(), is_paired = is_row && kind == Kind::real && n % 2 == 0;
    const double lines = rows * row / static_cast<double>(shape.extents[d]);
    const auto points = gpu::work_points(gpu::line_method(shape.extents[d] / (is_paired ? 2 : 1), real_bytes),
                                         static_cast<std::int64_t>(std::min(lines, 1e15)), is_row, real_bytes);
    max_points = std::max(max_points, static_cast<double>(points));
  }
  if (kind == Kind::complex && step == "cuda" && gpu::is_two_pass_array(shape.extents))
    max_points = gpu::two_pass_points;
  constexpr double tables = 1 << 24;
  return data + spectrum + work + max_points * complex_bytes + tables;
}

}  // namespace speedwell::fft

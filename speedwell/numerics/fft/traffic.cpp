#include "speedwell/numerics/fft/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "speedwell/numerics/fft/gpu/device/line.hpp"
#include "speedwell/numerics/fft/gpu/method.hpp"

namespace speedwell::fft {
namespace {

constexpr double on_chip_bytes = 1 << 22;  // the largest plane that engine.cpp fuses
// The thresholds of gpu_engine.cpp: the smallest array whose planes are fused, and the bytes of the second-level cache
// that planes waiting for their columns may occupy.
constexpr double min_array_bytes = 48e6;
constexpr std::int64_t max_plane_bytes = (std::int64_t{17} << 20) / 4;

double product(const Shape& shape) {
  double all = 1;
  for (const std::int64_t n : shape.extents) all *= static_cast<double>(n);
  return all;
}

// Bytes of the array in the time domain, which may be real, and of the spectrum, for the whole batch.
struct Arrays {
  Arrays(Kind kind, const Shape& shape, std::size_t real_bytes) {
    const auto batch = static_cast<double>(shape.batch), width = static_cast<double>(real_bytes);
    const auto row = static_cast<double>(shape.extents.back());
    const double kept = kind == Kind::real ? std::floor(row / 2) + 1 : row;
    time = (kind == Kind::real ? 1 : 2) * width * product(shape) * batch;
    spectrum = 2 * width * product(shape) / row * kept * batch;
  }
  double time, spectrum;
};

// Adds one pass between the time domain and the spectrum, and `others` passes over the spectrum. A backward transform
// has them in the opposite order.
Traffic passes(const Arrays& arrays, Direction direction, double others) {
  Traffic all{arrays.time + others * arrays.spectrum, arrays.spectrum + others * arrays.spectrum};
  if (direction == Direction::backward) std::swap(all.read, all.written);
  return all;
}

void add(Traffic& all, double read, double written) { all.read += read, all.written += written; }

// Adds the passes over lines of `points` complex numbers in all.
void add_lines(Traffic& all, std::int64_t n, double points, std::size_t real_bytes) {
  using Method = gpu::LineMethod;
  const Method method = gpu::line_method(n, real_bytes);
  const double bytes = 2.0 * static_cast<double>(real_bytes) * points;
  const std::int64_t max_in_block = std::int64_t{1} << (real_bytes == 8 ? gpu::max_log_f64 : gpu::max_log_f32);
  if (method.kind == Method::Kind::steps) {
    const auto count = static_cast<double>(method.factors.size());
    add(all, count * bytes, count * bytes);
  } else if (method.kind == Method::Kind::convolution && method.longer > max_in_block) {
    const double ratio = static_cast<double>(method.longer) / static_cast<double>(n), longer = ratio * bytes;
    add(all, bytes, longer);  // gather
    for (int k = 0; k < 2; ++k) add_lines(all, method.longer, ratio * points, real_bytes);
    add(all, longer, longer);  // product with the chirp's spectrum
    add(all, bytes, bytes);    // scatter
  } else {
    add(all, bytes, bytes);
  }
}

// Whether a kernel transforms rows and columns of planes of the array while they are in the second-level cache.
bool has_cached_planes(const Shape& shape, std::size_t real_bytes) {
  const auto& e = shape.extents;
  if (e.size() < 2) return false;
  const std::int64_t rows = e[e.size() - 2], columns = e.back();
  return gpu::is_plane(rows, columns, real_bytes) &&
         rows * columns * 2 * static_cast<std::int64_t>(real_bytes) <= max_plane_bytes;
}
bool has_planes(const Shape& shape, std::size_t real_bytes) {
  const double complex_bytes = 2.0 * static_cast<double>(real_bytes);
  return has_cached_planes(shape, real_bytes) &&
         product(shape) * static_cast<double>(shape.batch) * complex_bytes >= min_array_bytes;
}

Traffic gpu_complex(const Shape& shape, std::string_view step, std::size_t real_bytes) {
  const double points = product(shape) * static_cast<double>(shape.batch);
  const double bytes = 2.0 * static_cast<double>(real_bytes) * points;
  if (step == "cuda" && gpu::is_two_pass_array(shape.extents)) return {2 * bytes, 2 * bytes};
  Traffic all;
  std::size_t axes = shape.extents.size();
  if (step == "cuda" && has_planes(shape, real_bytes)) {
    add(all, bytes, bytes);
    axes -= 2;
  }
  for (std::size_t d = 0; d < axes; ++d)
    if (shape.extents[d] > 1) add_lines(all, shape.extents[d], points, real_bytes);
  if (all.read == 0) return {bytes, bytes};  // a copy
  return all;
}

// Rows of even length are half as many complex numbers, unpacked in the same pass if a block holds them and their
// length is a power of two. Rows of odd length are widened to complex numbers, and the redundant half of the result is
// dropped.
Traffic gpu_real(const Shape& shape, std::size_t real_bytes) {
  const Arrays arrays(Kind::real, shape, real_bytes);
  const std::int64_t n = shape.extents.back();
  const double points = product(shape) * static_cast<double>(shape.batch);
  Traffic all;
  if (n % 2 == 1) {
    add(all, arrays.time, 2 * arrays.time);
    add_lines(all, n, points, real_bytes);
    add(all, 2 * arrays.time, arrays.spectrum);
  } else if (gpu::line_method(n / 2, real_bytes).kind == gpu::LineMethod::Kind::power) {
    add(all, arrays.time, arrays.spectrum);
  } else {
    add_lines(all, n / 2, points / 2, real_bytes);
    add(all, arrays.time, arrays.spectrum);
  }
  for (std::size_t d = 0; d + 1 < shape.extents.size(); ++d)
    if (shape.extents[d] > 1)
      add_lines(all, shape.extents[d], arrays.spectrum / (2.0 * static_cast<double>(real_bytes)), real_bytes);
  return all;
}

}  // namespace

Traffic best_traffic(Kind kind, Direction direction, const Shape& shape, std::size_t real_bytes) {
  const Arrays arrays(kind, shape, real_bytes);
  const bool one = std::max(arrays.time, arrays.spectrum) / static_cast<double>(shape.batch) <= on_chip_bytes;
  const double between = one ? 0 : std::min(arrays.time, arrays.spectrum);
  Traffic all = passes(arrays, direction, 0);
  add(all, between, between);
  return all;
}

Traffic host_traffic(Kind kind, Direction direction, const Shape& shape, std::size_t real_bytes) {
  const Arrays arrays(kind, shape, real_bytes);
  const auto& e = shape.extents;
  double rows = static_cast<double>(shape.batch);
  for (std::size_t d = 0; d + 1 < e.size(); ++d) rows *= static_cast<double>(e[d]);
  const Traffic best = best_traffic(kind, direction, shape, real_bytes);
  if (e.size() < 2) return best;
  const bool fused = arrays.spectrum / rows * static_cast<double>(e[e.size() - 2]) <= on_chip_bytes;
  const Traffic own = passes(arrays, direction, static_cast<double>(e.size() - 1) - (fused ? 1 : 0));
  return {std::max(own.read, best.read), std::max(own.written, best.written)};
}

Traffic gpu_traffic(Kind kind, Direction direction, const Shape& shape, std::string_view step, std::size_t real_bytes) {
  Traffic own = kind == Kind::real ? gpu_real(shape, real_bytes) : gpu_complex(shape, step, real_bytes);
  if (direction == Direction::backward) std::swap(own.read, own.written);
  return own;
}

Traffic gpus_traffic(const Shape& shape, Exchange exchange, std::size_t real_bytes) {
  const double bytes = 2.0 * static_cast<double>(real_bytes) * product(shape);
  Traffic all;
  if (exchange == Exchange::stores && gpu::stores_in_passes(shape.extents, real_bytes)) {
    const double passes = has_cached_planes(shape, real_bytes) ? 2 : 3;
    add(all, passes * bytes, passes * bytes);
  } else {
    all = gpu_complex(shape, "cuda-passes", real_bytes);
    add(all, bytes, bytes);
  }
  return all;
}

}  // namespace speedwell::fft

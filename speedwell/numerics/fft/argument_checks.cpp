#include "speedwell/numerics/fft/argument_checks.hpp"

#include <unistd.h>

#include <limits>
#include <stdexcept>
#include <string>

#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::fft {
namespace {

double product_of(const Shape& shape) {
  double product = static_cast<double>(shape.batch);
  for (const std::int64_t n : shape.extents) product *= static_cast<double>(n);
  return product;
}

std::string text_of(const Shape& shape) {
  std::string text;
  for (const std::int64_t n : shape.extents) text += (text.empty() ? "" : " x ") + std::to_string(n);
  return text + (shape.batch == 1 ? "" : ", " + std::to_string(shape.batch) + " times");
}

}  // namespace

double estimated_bytes(Kind kind, const Shape& shape, int threads, std::size_t real_bytes) {
  const double complex_bytes = 2.0 * static_cast<double>(real_bytes);
  const auto n = static_cast<double>(shape.extents.back());
  const double rows = product_of(shape) / n;
  const double spectrum = complex_bytes * (kind == Kind::real ? rows * (n / 2 + 1) : rows * n);
  double bytes = kind == Kind::real ? rows * n * static_cast<double>(real_bytes) + spectrum : 2 * spectrum;
  if (kind == Kind::real && shape.extents.size() > 1) bytes += spectrum;  // work space of backward
  // A convolution is at least twice as long as its line, and a long line has two work spaces.
  const double longer = is_smooth(shape.extents.back()) ? 1 : 5;
  const int lanes = static_cast<int>(64 / real_bytes);
  if (rows_are_long(shape.extents.back(), static_cast<std::int64_t>(std::min(rows, 1e18)), lanes))
    bytes += longer * n * complex_bytes * (rows < threads ? 1 : threads);
  return bytes;
}

void require_shape(const Shape& shape) {
  if (shape.extents.empty() || shape.extents.size() > 3)
    throw std::invalid_argument("fft: " + std::to_string(shape.extents.size()) + " extents; one to three are possible");
  for (const std::int64_t n : shape.extents)
    if (n < 1) throw std::invalid_argument("fft: an extent of " + std::to_string(n) + "; at least 1 is needed");
  if (shape.batch < 1)
    throw std::invalid_argument("fft: a batch of " + std::to_string(shape.batch) + "; at least 1 is needed");
  // Below this bound every sum fits an int64, including the padding of real rows and the length of convolutions.
  if (product_of(shape) > 0x1p63 / 64)
    throw std::invalid_argument("fft: " + text_of(shape) + " points are more bytes than 64 bits can count");
}

const Shape& require_plan(Kind kind, const Shape& shape, const Options& options, std::size_t real_bytes) {
  require_shape(shape);
  if (options.threads < 0)
    throw std::invalid_argument("fft: " + std::to_string(options.threads) + " threads; 0 takes all");
  const double bytes =
      estimated_bytes(kind, shape, options.threads > 0 ? options.threads : available_threads(), real_bytes);
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes > memory)
    throw core::Unavailable("fft: " + text_of(shape) + " points and their plan take " + core::format_bytes(bytes) +
                            "; this machine has " + core::format_bytes(memory));
  return shape;
}

}  // namespace speedwell::fft

// The method by which a GPU transforms lines of a length, and its work space; it is known without a GPU, too.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "speedwell/numerics/fft/cpu/rows.hpp"
#include "speedwell/numerics/fft/fft.hpp"

namespace speedwell::fft::gpu {

struct LineMethod {
  enum class Kind {
    power,        // a power of two that fits one block
    smooth,       // a product of small primes that fits one block
    steps,        // factors, each of which fits one block
    convolution,  // any other length: a convolution with a chirp, of length `longer`
  } kind;
  std::int64_t n;
  std::vector<std::int64_t> factors;
  std::int64_t longer = 0;
};
LineMethod line_method(std::int64_t n, std::size_t real_bytes);

/// Lines per batch, chosen so that the work space stays within 2^25 points unless a single line is longer.
std::int64_t lines_per_batch(const LineMethod& method, std::int64_t lines);
/// Complex numbers of work space. `rows`: the points of a line are contiguous.
std::int64_t work_points(const LineMethod& method, std::int64_t lines, bool rows, std::size_t real_bytes);

/// The array that two_passes.hpp transforms, whose work space has the same size.
inline constexpr std::int64_t two_pass_extent = 256, two_pass_points = std::int64_t{1} << 24;
bool is_two_pass_array(std::span<const std::int64_t> extents);

/// The planes that kernels transform along both axes in one pass: extents are powers of two from 2^min_plane_log to
/// 2^max_plane_log, and a plane has work for a block.
inline constexpr int min_plane_log = 6, max_plane_log = 10;
bool is_plane(std::int64_t rows, std::int64_t columns, std::size_t real_bytes);
/// Whether the passes of transforms on several GPUs can store into the memory of the others.
bool stores_in_passes(std::span<const std::int64_t> extents, std::size_t real_bytes);

}  // namespace speedwell::fft::gpu

namespace speedwell::fft {

/// Approximate bytes of device memory for the arrays in and out and for a plan's work space and tables.
double gpu_bytes(Kind kind, const Shape& shape, std::string_view step, std::size_t real_bytes);

}  // namespace speedwell::fft

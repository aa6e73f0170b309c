// How a GPU transforms lines of a length, and what space that takes; known without a GPU, too.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "speedwell/apps/fft/fft.hpp"
#include "speedwell/apps/fft/rows.hpp"

namespace speedwell::fft::gpu {

struct LineMethod {
  enum class Kind {
    power,        // a power of two that a block holds
    smooth,       // a product of small primes that a block holds
    steps,        // factors, each of which a block holds
    convolution,  // anything else: with a chirp, of length `longer`
  } kind;
  std::int64_t n;
  std::vector<std::int64_t> factors;
  std::int64_t longer = 0;
};
LineMethod line_method(std::int64_t n, std::size_t real_bytes);

/// Lines that are transformed at a time, so that the work space stays within 2^25 points where a line does.
std::int64_t lines_at_a_time(const LineMethod& method, std::int64_t lines);
/// Complex numbers of work space; `rows`: points of a line are neighbours.
std::int64_t work_points(const LineMethod& method, std::int64_t lines, bool rows, std::size_t real_bytes);

/// Arrays that two_passes.hpp is for, and its work space is as large as.
inline constexpr std::int64_t two_pass_extent = 256, two_pass_points = std::int64_t{1} << 24;
bool is_two_pass_array(std::span<const std::int64_t> extents);

}  // namespace speedwell::fft::gpu

namespace speedwell::fft {

/// Bytes of device memory for arrays in and out and a plan's work space and tables, roughly.
double gpu_bytes(Kind kind, const Shape& shape, std::string_view step, std::size_t real_bytes);

}  // namespace speedwell::fft

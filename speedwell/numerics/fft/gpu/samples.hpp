// The arguments of transforms of which only a few points are wanted: their checks, and the samples row by row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/numerics/fft/fft.hpp"

namespace speedwell::fft::gpu {

/// A point of a row that is sampled, and the number of the sample.
struct Sample {
  std::int32_t element, number;
  friend bool operator==(const Sample&, const Sample&) = default;
};

/// Samples in the order of the rows that hold them.
struct SampleList {
  std::vector<std::int32_t> first;  // index in `wanted` of each row's first sample, and the end
  std::vector<Sample> wanted;
};

/// The samples among the points [begin, begin + points) of an array, in rows of n points; begin and points are
/// multiples of n. Samples outside are left out, and the others keep their numbers: sample s is at positions[s].
SampleList samples_by_row(std::span<const std::int64_t> positions, std::int64_t begin, std::int64_t points,
                          std::int64_t n);

/// Throws std::invalid_argument unless the shape has three extents that are powers of two up to 2^max_log, and batch 1.
/// Returns the shape.
const Shape& require_sampled_shape(const Shape& shape, int max_log);
/// Throws std::invalid_argument for a position outside an array of `points` points.
void require_positions(std::span<const std::int64_t> positions, std::int64_t points);

}  // namespace speedwell::fft::gpu

#include "speedwell/numerics/fft/gpu/samples.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "speedwell/numerics/fft/argument_checks.hpp"

namespace speedwell::fft::gpu {

SampleList samples_by_row(std::span<const std::int64_t> positions, std::int64_t begin, std::int64_t points,
                          std::int64_t n) {
  SampleList list{.first = std::vector<std::int32_t>(static_cast<std::size_t>(points / n + 1)), .wanted = {}};
  std::vector<std::int32_t> order;
  for (std::size_t s = 0; s < positions.size(); ++s) {
    const std::int64_t at = positions[s] - begin;
    if (at < 0 || at >= points) continue;
    order.push_back(static_cast<std::int32_t>(s));
    ++list.first[static_cast<std::size_t>(at / n + 1)];
  }
  for (std::size_t row = 1; row < list.first.size(); ++row) list.first[row] += list.first[row - 1];
  const auto position = [&](std::int32_t s) { return positions[static_cast<std::size_t>(s)]; };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return position(a) / n < position(b) / n; });
  for (const std::int32_t s : order) list.wanted.push_back({static_cast<std::int32_t>(position(s) % n), s});
  return list;
}

const Shape& require_sampled_shape(const Shape& shape, int max_log) {
  require_shape(shape);
  if (shape.extents.size() != 3 || shape.batch != 1)
    throw std::invalid_argument("fft: samples are taken of one array of three dimensions");
  for (const std::int64_t n : shape.extents)
    if (!std::has_single_bit(static_cast<std::uint64_t>(n)) || n > std::int64_t{1} << max_log)
      throw std::invalid_argument("fft: an extent of " + std::to_string(n) +
                                  "; samples are taken where all are powers of two, and at most " +
                                  std::to_string(1 << max_log));
  return shape;
}

void require_positions(std::span<const std::int64_t> positions, std::int64_t points) {
  for (const std::int64_t position : positions)
    if (position < 0 || position >= points)
      throw std::invalid_argument("fft: a sample at " + std::to_string(position) + " of an array of " +
                                  std::to_string(points));
}

}  // namespace speedwell::fft::gpu

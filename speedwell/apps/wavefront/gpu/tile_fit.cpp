#include "speedwell/apps/wavefront/gpu/tile_fit.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace speedwell::wavefront::model {
namespace {

// A multiple of the vectors of a cache line, so that no tile has steps without cells.
constexpr std::int64_t vector_unit = 32;
constexpr std::int64_t vectors_of_one = 8 * vector_unit;  // row length of the samples that vary the number of tiles
constexpr std::int64_t more_vectors_of_one = 64 * vector_unit, more_vectors_of_many = 16 * vector_unit;
// Lengths of chains of tiles, long enough for the delay of one tile to propagate to the others.
constexpr std::int64_t many_x = 27, many_y = 18;
constexpr std::int64_t few = 9;  // for a single block

std::int64_t whole_vectors(double steps) {
  return (static_cast<std::int64_t>(std::max(0.0, steps)) / vector_unit + 1) * vector_unit;
}

/// Numbers of concurrent tiles to measure: from a few up to the number of blocks.
std::vector<std::int64_t> loads(std::int64_t blocks) {
  std::vector<std::int64_t> all;
  for (std::int64_t tiles = 4; tiles < blocks; tiles *= 4) all.push_back(tiles);
  all.push_back(blocks);
  return all;
}

TilePlan plan_of(int warps, const TileSample& sample) {
  return {.planes = warps,  // of one plane each: only the number of warps matters
          .in_x = static_cast<std::int32_t>(sample.in_x),
          .in_y = static_cast<std::int32_t>(sample.in_y),
          .vectors = static_cast<std::int32_t>(sample.vectors)};
}

/// Value of `hop` for which the model predicts `seconds`, by bisection: the prediction increases with the hop.
double hop_of(TiledDevice device, double TiledDevice::*hop, const TilePlan& sample, double seconds) {
  double low = 0, high = static_cast<double>(steps_of_tile(sample));
  for (int n = 0; n < 60; ++n) {
    device.*hop = (low + high) / 2;
    (tiled_seconds(sample, device) < seconds ? low : high) = device.*hop;
  }
  return low;
}

}  // namespace

TiledDevice fit_device(int warps, std::int64_t blocks, const TimeTiles& seconds) {
  if (warps < 1 || blocks < 1) throw std::invalid_argument("the numbers of warps and blocks must be positive");
  const auto steps = [&](std::int64_t vectors) { return static_cast<double>(vectors + tile_rows - 1 + warps - 1); };
  TiledDevice device{.blocks = blocks};

  const double one = seconds({.vectors = vectors_of_one});
  const double longer = seconds({.vectors = vectors_of_one + more_vectors_of_one});
  const double step = (longer - one) / static_cast<double>(more_vectors_of_one);
  if (!(step > 0) || !std::isfinite(step))
    throw std::invalid_argument("the measured time does not increase with the length of tiles");
  device.launch_s = std::max(0.0, one - steps(vectors_of_one) * step);
  device.loaded.push_back({1, step});

  const TileSample along_x{.in_x = many_x, .vectors = vectors_of_one},
      along_y{.in_y = many_y, .vectors = vectors_of_one};
  const double x = seconds(along_x), y = seconds(along_y);
  const double by_one = seconds({.in_x = few, .vectors = vectors_of_one, .blocks = 1});
  device.restart_steps = std::max(0.0, (by_one - one) / step / (few - 1) - steps(vectors_of_one));

  for (const std::int64_t tiles : loads(blocks)) {
    const auto in_y = static_cast<std::int64_t>(std::sqrt(static_cast<double>(tiles))), in_x = tiles / in_y;
    if (in_x * in_y <= device.loaded.back().tiles) continue;
    // Rows are longer than the time until all tiles have begun, so that an increase of the length affects all tiles.
    const double begun =
        (static_cast<double>(in_x) * (x - one) / (many_x - 1) + static_cast<double>(in_y) * (y - one) / (many_y - 1)) /
        step;
    const std::int64_t filled = whole_vectors(begun);
    const double some = seconds({.in_x = in_x, .in_y = in_y, .vectors = filled});
    const double more = seconds({.in_x = in_x, .in_y = in_y, .vectors = filled + more_vectors_of_many});
    device.loaded.push_back({in_x * in_y, std::max(0.0, more - some) / static_cast<double>(more_vectors_of_many)});
  }
  device.hop_x = hop_of(device, &TiledDevice::hop_x, plan_of(warps, along_x), x);
  device.hop_y = hop_of(device, &TiledDevice::hop_y, plan_of(warps, along_y), y);
  return device;
}

}  // namespace speedwell::wavefront::model

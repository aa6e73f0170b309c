#include "speedwell/apps/wavefront/gpu/tile_fit.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace speedwell::wavefront::model {
namespace {

// Whole lines of any chunk, so that no tile has steps without cells.
constexpr std::int64_t chunk_unit = 32;
constexpr std::int64_t chunks_of_one = 8 * chunk_unit;  // of a sample that shows what its tiles add
constexpr std::int64_t more_chunks_of_one = 64 * chunk_unit, more_chunks_of_many = 16 * chunk_unit;
// Tiles after another: so many that what delays one for a moment has reached the others.
constexpr std::int64_t many_x = 27, many_y = 18;
constexpr std::int64_t few = 9;  // of one block

std::int64_t whole_chunks(double steps) {
  return (static_cast<std::int64_t>(std::max(0.0, steps)) / chunk_unit + 1) * chunk_unit;
}

/// Tiles that are to be at work together: a few, and up to as many as there are blocks.
std::vector<std::int64_t> loads(std::int64_t blocks) {
  std::vector<std::int64_t> all;
  for (std::int64_t tiles = 4; tiles < blocks; tiles *= 4) all.push_back(tiles);
  all.push_back(blocks);
  return all;
}

TilePlan plan_of(int warps, const TileSample& sample) {
  return {.planes = warps,  // of one plane each: only the warps count
          .in_x = static_cast<std::int32_t>(sample.in_x),
          .in_y = static_cast<std::int32_t>(sample.in_y),
          .chunks = static_cast<std::int32_t>(sample.chunks)};
}

/// Where the model takes `seconds` for the sample, by bisection: more steps of a hop take longer.
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
  if (warps < 1 || blocks < 1) throw std::invalid_argument("a device has blocks, and its tiles have warps");
  const auto steps = [&](std::int64_t chunks) { return static_cast<double>(chunks + tile_rows - 1 + warps - 1); };
  TiledDevice device{.blocks = blocks};

  const double one = seconds({.chunks = chunks_of_one});
  const double longer = seconds({.chunks = chunks_of_one + more_chunks_of_one});
  const double step = (longer - one) / static_cast<double>(more_chunks_of_one);
  if (!(step > 0) || !std::isfinite(step)) throw std::invalid_argument("longer tiles took no longer");
  device.launch_s = std::max(0.0, one - steps(chunks_of_one) * step);
  device.loaded.push_back({1, step});

  const TileSample along_x{.in_x = many_x, .chunks = chunks_of_one}, along_y{.in_y = many_y, .chunks = chunks_of_one};
  const double x = seconds(along_x), y = seconds(along_y);
  const double by_one = seconds({.in_x = few, .chunks = chunks_of_one, .blocks = 1});
  device.between = std::max(0.0, (by_one - one) / step / (few - 1) - steps(chunks_of_one));

  for (const std::int64_t tiles : loads(blocks)) {
    const auto in_y = static_cast<std::int64_t>(std::sqrt(static_cast<double>(tiles))), in_x = tiles / in_y;
    if (in_x * in_y <= device.loaded.back().tiles) continue;
    // Rows that are longer than it takes to begin all tiles: then all of them do what a longer row adds.
    const double begun =
        (static_cast<double>(in_x) * (x - one) / (many_x - 1) + static_cast<double>(in_y) * (y - one) / (many_y - 1)) /
        step;
    const std::int64_t filled = whole_chunks(begun);
    const double some = seconds({.in_x = in_x, .in_y = in_y, .chunks = filled});
    const double more = seconds({.in_x = in_x, .in_y = in_y, .chunks = filled + more_chunks_of_many});
    device.loaded.push_back({in_x * in_y, std::max(0.0, more - some) / static_cast<double>(more_chunks_of_many)});
  }
  device.hop_x = hop_of(device, &TiledDevice::hop_x, plan_of(warps, along_x), x);
  device.hop_y = hop_of(device, &TiledDevice::hop_y, plan_of(warps, along_y), y);
  return device;
}

}  // namespace speedwell::wavefront::model

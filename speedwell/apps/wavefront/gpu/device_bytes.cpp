// Device memory of the GPU variants. Also part of builds without CUDA, since plans report it.
#include <cstddef>

#include "speedwell/apps/wavefront/gpu/block_diagonals.hpp"
#include "speedwell/apps/wavefront/gpu/tile_plan.hpp"
#include "speedwell/apps/wavefront/ladder.hpp"

namespace speedwell::wavefront {
namespace {

double packed_bytes(const Extents& extents, double element, int block) {
  const double n = block;
  return static_cast<double>(BlockCounts(extents, block).blocks()) * (n * n * n + 2 * n * n) * element;
}

double tile_bytes(const Extents& extents, int element, const TileOptions& options) {
  const TilePlan plan = plan_tiles(extents, element, false, options);
  const auto vectors = static_cast<double>(plan.west_vectors() + plan.north_vectors());
  return static_cast<double>(plan.tiles()) * (vectors * plan.cells * element + sizeof(TileIndex));
}

}  // namespace

double device_bytes(const Extents& e, std::size_t element, std::string_view step, const GpuOptions& options) {
  const auto bytes_of_cell = static_cast<double>(element);
  const double planes = static_cast<double>(e.nx) * static_cast<double>(e.ny + e.nz) +
                        static_cast<double>(e.ny) * static_cast<double>(e.nz);
  const double grid = (2 * static_cast<double>(e.cells()) + planes) * bytes_of_cell;
  constexpr double rest = 1 << 20;
  if (step == "cuda") return grid + rest + tile_bytes(e, static_cast<int>(element), options.tiles);
  if (step == "cuda-naive" || step == "cuda-recycled") return grid + rest;
  return grid + rest + packed_bytes(e, bytes_of_cell, options.block > 0 ? options.block : default_block);
}

}  // namespace speedwell::wavefront

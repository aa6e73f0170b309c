#include "speedwell/apps/blast_wave/blocks7.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "speedwell/apps/blast_wave/cpu/tiles.hpp"
#include "speedwell/apps/blast_wave/point.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/core/simd/isa.hpp"

namespace speedwell::blast_wave {

Blocks7::Blocks7(const Extents& e) : extents_(e) {
  constexpr std::int64_t most = (std::int64_t{1} << 31) / 5 - 64;
  for (int d = 0; d < 3; ++d)
    if (e.extent(d) < 3 || e.extent(d) > most)
      throw std::invalid_argument("blast_wave: an extent of " + std::to_string(e.extent(d)) +
                                  " points; 3 and above, fewer than 2^31 / 5 points in all");
  if (e.nx > most / e.ny || e.nx * e.ny > most / e.nz)
    throw std::invalid_argument("blast_wave: " + std::to_string(e.nx) + " x " + std::to_string(e.ny) + " x " +
                                std::to_string(e.nz) + " points; fewer than 2^31 / 5");
  stride_ = static_cast<std::size_t>(rounded(e.points()));
  blocks_ = core::HostBuffer<double>(entries * stride_);
  core::parallel_for(blocks_.size(), sizeof(double), 0, [&](std::size_t begin, std::size_t end) {
    std::fill(blocks_.data() + begin, blocks_.data() + end, 0.0);
  });
}

std::size_t Blocks7::index(std::int64_t point, Neighbour neighbour, int row, int column) const {
  const auto entry = static_cast<std::int64_t>(neighbour) * 25 + row * 5 + column;
  return static_cast<std::size_t>((point / tile * entries + entry) * tile + point % tile);
}

void Blocks7::multiply(std::span<const double> x, std::span<double> y, int threads) const {
  for (const std::size_t size : {x.size(), y.size()})
    if (size != vector_size())
      throw std::invalid_argument("blast_wave: a vector of " + std::to_string(size) + " values; " +
                                  std::to_string(vector_size()) + " expected");
  const TileMesh mesh{{static_cast<int>(extents_.nx), static_cast<int>(extents_.ny), static_cast<int>(extents_.nz)},
                      static_cast<int>(extents_.points()),
                      static_cast<int>(stride_)};
  const TileKernels kernels = tile_kernels(core::best_isa());
  const int tiles = mesh.stride / tile, team = core::resolve_threads(threads);
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1 && tiles > 64)
  for (int t = 0; t < tiles; ++t) kernels.multiply(mesh, blocks_.data(), x.data(), y.data(), t);
  for (int c = 0; c < 5; ++c)
    std::fill_n(y.data() + static_cast<std::size_t>(c) * stride_ + mesh.points, mesh.stride - mesh.points, 0.0);
}

}  // namespace speedwell::blast_wave

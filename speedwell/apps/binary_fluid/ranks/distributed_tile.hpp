// The tile of a rank, independent of the form in which it stores its sites, and the geometry that all forms share.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "speedwell/apps/binary_fluid/distributed.hpp"
#include "speedwell/comm/halo_exchange.hpp"

namespace speedwell::binary_fluid {

class DistributedFluid::Tile {
 public:
  virtual ~Tile() = default;
  /// Sets population p of f (distribution 0) or g (1): the tile's own sites, x contiguous.
  virtual void set(int distribution, int p, const double* own) = 0;
  /// To be called when all populations are set.
  virtual void begin() = 0;
  virtual void run(int steps) = 0;
  /// Collective. Copies the populations that have arrived at the own sites: 19 of f, then 19 of g.
  virtual void get(double* own) = 0;
  virtual double exchange_seconds() const = 0;
  virtual double sent_bytes() const = 0;
};

/// Axis d of the box (x, y, z) is axis 2 - d of the decomposition, whose last axis is the contiguous one.
constexpr std::size_t axis_of(int d) { return static_cast<std::size_t>(2 - d); }

/// Sites low <= i < high along x, y and z.
struct Sites {
  int low[3] = {}, high[3] = {};
  int extent(int d) const { return high[d] - low[d]; }
  bool empty() const { return extent(0) <= 0 || extent(1) <= 0 || extent(2) <= 0; }
};

/// The own sites of a tile are 0 ... n - 1 along each axis. Fields have the layer of the neighbours' sites, -1 and n,
/// along axes that are divided; along the others neighbours are found by periodic wrapping.
struct TileBox {
  TileBox(const comm::Decomposition& division, int rank) {
    const comm::Tile tile = division.tile(rank);
    for (int d = 0; d < 3; ++d) {
      n[d] = static_cast<int>(tile.extent(static_cast<int>(axis_of(d))));
      layers[d] = division.box().halo[axis_of(d)];
      for (const int side : {-1, 1}) {
        std::array<int, 3> direction{};
        direction[axis_of(d)] = side;
        wall[d][side < 0 ? 0 : 1] = !division.neighbor(rank, direction);
      }
    }
  }
  std::int64_t sites() const { return std::int64_t{n[0]} * n[1] * n[2]; }
  bool divided(int d) const { return layers[d] > 0; }
  /// The position of a site along an axis of fields.
  std::int64_t along(int d, int at) const {
    if (divided(d)) return at + 1;
    return at < 0 ? at + n[d] : at >= n[d] ? at - n[d] : at;
  }
  /// The number of a row in fields.
  std::int64_t row(int j, int k) const { return along(1, j) + (n[1] + 2 * layers[1]) * along(2, k); }
  /// The same of the first own site of a row.
  std::int64_t site(int j, int k) const { return layers[0] + (n[0] + 2 * layers[0]) * row(j, k); }
  /// The number of a site in fields.
  std::int64_t site(int i, int j, int k) const { return along(0, i) + (n[0] + 2 * layers[0]) * row(j, k); }
  std::int64_t own_site(int j, int k) const { return n[0] * (j + std::int64_t{n[1]} * k); }
  /// The position that stands for one behind a wall: the one next to the wall.
  int beside(int d, int to) const {
    if (to < 0 && wall[d][0]) return 0;
    return to >= n[d] && wall[d][1] ? n[d] - 1 : to;
  }
  Sites own() const { return {{0, 0, 0}, {n[0], n[1], n[2]}}; }
  Sites sites_of(const comm::HaloLayout::Region& region) const {
    Sites sites;
    for (int d = 0; d < 3; ++d) {
      const comm::Range range = region.ranges[axis_of(d)];
      sites.low[d] = static_cast<int>(range.begin - layers[d]);
      sites.high[d] = static_cast<int>(range.end - layers[d]);
    }
    return sites;
  }

  int n[3] = {};
  std::int64_t layers[3] = {};  // of the halo, on either side
  bool wall[3][2] = {};         // walls beside the tile, below and above along each axis
};

std::unique_ptr<DistributedFluid::Tile> tile_of_moments(const comm::Communicator& ranks, const Problem& problem,
                                                        Precision precision, const comm::Decomposition& division);
std::unique_ptr<DistributedFluid::Tile> tile_in_place(const comm::Communicator& ranks, const Problem& problem,
                                                      Precision precision, const comm::Decomposition& division);

}  // namespace speedwell::binary_fluid

// Heat that spreads in a periodic box whose points are divided among ranks: mpirun -n 4 example_heat_ranks
#include <cstdint>
#include <cstdio>
#include <vector>

#include "speedwell/comm/environment.hpp"
#include "speedwell/comm/halo_exchange.hpp"
#include "speedwell/comm/redistribution.hpp"
#include "speedwell/comm/sums.hpp"

using namespace speedwell::comm;

/// Calls act(number of the point) for the points of a region of an array with a halo.
template <class Act>
void for_points(const HaloLayout& layout, const HaloLayout::Region& region, const Act& act) {
  const auto& [planes, rows, points] = region.ranges;
  for (std::int64_t i = planes.begin; i < planes.end; ++i)
    for (std::int64_t j = rows.begin; j < rows.end; ++j)
      for (std::int64_t k = points.begin; k < points.end; ++k)
        act(static_cast<std::size_t>((i * layout.extents()[1] + j) * layout.extents()[2] + k));
}

int main() {
  const Environment environment;
  const Communicator& ranks = environment.world();

  const GlobalBox box{.extents = {48, 40, 36}, .periodic = {true, true, true}, .halo = {1, 1, 1}};
  const Decomposition division(ranks.size(), box);
  const Tile mine = division.tile(ranks.rank());

  HaloExchange<double> exchange(ranks, division, HaloShape::faces, 1);
  const HaloLayout& layout = exchange.layout();
  std::vector<double> u(static_cast<std::size_t>(layout.size())), next(u.size());

  std::int64_t point = 0;  // hot in the first half of the box
  for_points(layout, layout.own(), [&](std::size_t at) {
    u[at] = mine.ranges[0].begin + point++ / (mine.extent(1) * mine.extent(2)) < 24 ? 1.1 : 0.1;
  });

  const auto row = static_cast<std::size_t>(layout.extents()[2]);
  const std::size_t plane = row * static_cast<std::size_t>(layout.extents()[1]);
  const auto spread = [&](std::size_t at) {
    const double around = u[at - 1] + u[at + 1] + u[at - row] + u[at + row] + u[at - plane] + u[at + plane];
    next[at] = u[at] + 0.125 * (around - 6 * u[at]);
  };
  for (int step = 0; step < 20; ++step) {
    double* const fields[] = {u.data()};
    exchange.start(fields);
    for_points(layout, layout.interior(), spread);
    exchange.finish(fields);
    for (const HaloLayout::Region& region : layout.rim()) for_points(layout, region, spread);
    u.swap(next);
  }

  speedwell::core::ExactSum heat;
  double squares = 0;
  for_points(layout, layout.own(), [&](std::size_t at) {
    heat.add(u[at]);
    squares += u[at] * u[at];
  });
  const double exact = exact_sum(ranks, heat);          // the same bits on any number of ranks
  sum_in_order(ranks, std::span<double>(&squares, 1));  // on the same number of ranks

  std::vector<Tile> tiles, first(static_cast<std::size_t>(ranks.size()));
  for (int rank = 0; rank < ranks.size(); ++rank) tiles.push_back(division.tile(rank));
  first[0] = {{Range{0, 48}, {0, 40}, {0, 36}}};  // the whole box on rank 0, nothing on the others
  std::vector<double> own, whole(ranks.rank() == 0 ? 48 * 40 * 36 : 0);
  for_points(layout, layout.own(), [&](std::size_t at) { own.push_back(u[at]); });
  Redistribution<double>(ranks, tiles, first).move(own, whole);

  if (ranks.rank() == 0)
    std::printf("heat %.17g, squares %.9f, middle %.17g\n", exact, squares, whole[(24 * 40 + 20) * 36 + 18]);
}

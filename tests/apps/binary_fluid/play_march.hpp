// Plays the kernels of march.hpp block by block on the host: threads one after the other between barriers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "speedwell/apps/binary_fluid/gpu/march.hpp"
#include "speedwell/apps/binary_fluid/gpu/planes.hpp"

namespace speedwell::binary_fluid {

/// In marches of `length` planes.
template <class T, class March>
void play(const March& m, const device::Planes& wanted, int length) {
  const device::Planes planes = wanted.within(m.box);
  std::vector<typename March::Lane> lanes(T::threads);
  std::vector<double> shared(March::shared_words);
  for (int z0 = planes.begin; z0 < planes.end; z0 += length)
    for (int y0 = 0; y0 < m.box.n[1]; y0 += T::ty)
      for (int x0 = 0; x0 < m.box.n[0]; x0 += T::tx) {
        const int z1 = std::min(z0 + length, planes.end);
        for (int t = 0; t < T::threads; ++t) {
          lanes[static_cast<std::size_t>(t)] = {};
          lanes[static_cast<std::size_t>(t)].column = Column::of(m.box, T{}, t, x0, y0);
        }
        for (int plane = z0 - 1; plane <= z1; ++plane) {
          for (int t = 0; t < T::threads; ++t)
            if (auto& lane = lanes[static_cast<std::size_t>(t)]; lane.column.has) m.emit(lane, t, plane, shared.data());
          for (int t = 0; t < T::threads; ++t)
            if (auto& lane = lanes[static_cast<std::size_t>(t)]; lane.column.inner)
              m.absorb(lane, t, plane, z0, z1, shared.data());
        }
      }
}

}  // namespace speedwell::binary_fluid

// The contribution of one site to the statistics, for any order of the populations.
#pragma once

#include "speedwell/apps/binary_fluid/gpu/site.hpp"
#include "speedwell/apps/binary_fluid/lattice/site_sums.hpp"

namespace speedwell::binary_fluid::device {

template <class S>
SPEEDWELL_HD
inline SiteMoments moments_at(const Surroundings& around, const Populations<S>& at) {
  return site_moments([&](int p) { return static_cast<double>(at.f[around.index(p, at.odd, at.stride)]); },
                      [&](int p) { return static_cast<double>(at.g[around.index(p, at.odd, at.stride)]); });
}
template <class S, class R>
SPEEDWELL_HD
inline SiteSums sums_at(const Domain& box, const SumsProblem& k, const Populations<S>& at, const R* phi, int i, int j,
                        int z) {
  const Surroundings around(box, i, j, z);
  const auto d = differences<double>(
      k.stencil, [&](int dx, int dy, int dz) { return static_cast<double>(phi[around.near.site(dx, dy, dz)]); });
  return sums_of(k, moments_at(around, at), d, around.near.site(0, 0, 0));
}

}  // namespace speedwell::binary_fluid::device

// Initial states.
#pragma once

#include <cstdint>

#include "speedwell/apps/binary_fluid/problem.hpp"

namespace speedwell::binary_fluid {

struct Beginning {
  enum class Kind {
    spinodal,  // phi = phi0 + noise (r - 1/2), r uniform
    droplet,   // -phi* within `radius` of the middle, phi* outside
    flat,      // phi* in the middle half along `axis`, -phi* outside
    wave,      // phi = phi0 + noise cos(2 pi s / n) along `axis`
    rest,      // phi = phi0
  } kind = Kind::spinodal;
  double phi0 = 0;
  double noise = 0.1;
  double radius = 16;
  int axis = 2;
  double stirring = 0;  // u = stirring (sin 2 pi y/ny, sin 2 pi z/nz, sin 2 pi x/nx)
  std::uint32_t seed = 8361235;
  /// Whether phi is the same everywhere.
  bool uniform() const { return kind == Kind::rest || ((kind == Kind::spinodal || kind == Kind::wave) && noise == 0); }
};

/// A state of density 1 with the velocity above, and g at rest: g_0 = phi. Throws std::invalid_argument as
/// require_valid(), for an interface if a >= 0, for a droplet that does not fit with four widths of its interface, and
/// for a velocity above Mach 0.3.
State initial(const Problem& problem, const Beginning& beginning);

/// The same for the `extents` sites from `origin` on, with periodic wrapping along axes without walls.
State initial_window(const Problem& problem, const Beginning& beginning, const std::array<std::int64_t, 3>& origin,
                     const Extents& extents);

/// Throws as initial().
void require_valid(const Problem& problem, const Beginning& beginning);

}  // namespace speedwell::binary_fluid

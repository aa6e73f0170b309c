#include "speedwell/apps/binary_fluid/ladder.hpp"

#include "speedwell/apps/binary_fluid/lattice/in_place.hpp"

namespace speedwell::binary_fluid {

std::optional<std::string> unsupported_reason(Method method, const Problem& p) {
  if (method == Method::in_place || method == Method::resident) return std::nullopt;
  const bool layered = p.fluid.energy.kind == FreeEnergy::Kind::brazovskii;
  for (const Axis& axis : p.axes)
    if (axis.walls) return method == Method::study ? "walls in the variants of the study" : "walls by moments";
  if (layered) return "Brazovskii's free energy";
  if (p.scheme.collision != Collision::m10)
    return method == Method::study ? "collisions other than that of the study"
                                   : "collisions after which ghost modes remain";
  return std::nullopt;
}

Method choose(const Problem& p) { return unsupported_reason(Method::moments, p) ? Method::in_place : Method::moments; }

double gpu_bytes(const Problem& p, Method method, Precision precision) {
  const auto sites = static_cast<double>(p.extents.sites());
  const double kept = precision == Precision::f64 ? 8 : 4, computed = precision == Precision::f32 ? 4 : 8;
  const double lattice = 2 * velocities * kept, start = 2.0 * velocities * 8;
  const bool layered = p.fluid.energy.kind == FreeEnergy::Kind::brazovskii;
  const double phi = (layered ? 2 : 1) * computed + 8;
  switch (method) {
    case Method::study: {
      const auto with_halo = static_cast<double>((p.extents.nx + 2) * (p.extents.ny + 2) * (p.extents.nz + 2));
      return with_halo * (lattice + 7 * kept);
    }
    case Method::resident:
      return sites * (start + 2 * lattice + phi);
    case Method::in_place:
      return sites * (start + lattice + phi);
    case Method::moments:
      return sites * (2 * start + 2 * 15 * kept + phi);
  }
  return 0;
}

}  // namespace speedwell::binary_fluid

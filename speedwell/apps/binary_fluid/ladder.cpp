#include "speedwell/apps/binary_fluid/ladder.hpp"

#include "speedwell/apps/binary_fluid/in_place.hpp"

namespace speedwell::binary_fluid {

std::optional<std::string> unsupported_reason(Method method, const Problem& p) {
  if (method == Method::in_place || method == Method::resident) return std::nullopt;
  const bool layered = p.fluid.energy.kind == FreeEnergy::Kind::brazovskii;
  for (const Axis& axis : p.axes)
    if (axis.walls) return method == Method::study ? "walls as the study did" : "walls by moments";
  if (layered) return "Brazovskii's free energy so";
  if (p.scheme.collision != Collision::m10)
    return method == Method::study ? "another collision than the study's"
                                   : "collisions that leave more than ten moments";
  return std::nullopt;
}

Method choose(const Problem& p) { return unsupported_reason(Method::moments, p) ? Method::in_place : Method::moments; }

double gpu_bytes(const Problem& p, Method method, Precision precision) {
  const auto sites = static_cast<double>(p.extents.sites());
  const double kept = precision == Precision::f64 ? 8 : 4, computed = precision == Precision::f32 ? 4 : 8;
  const double lattice = 2 * velocities * kept, begun = 2.0 * velocities * 8;
  const bool layered = p.fluid.energy.kind == FreeEnergy::Kind::brazovskii;
  const double phi = (layered ? 2 : 1) * computed + 8;
  switch (method) {
    case Method::study: {
      const auto with_halo = static_cast<double>((p.extents.nx + 2) * (p.extents.ny + 2) * (p.extents.nz + 2));
      return with_halo * (lattice + 7 * kept);
    }
    case Method::resident:
      return sites * (begun + 2 * lattice + phi);
    case Method::in_place:
      return sites * (begun + lattice + phi);
    case Method::moments:
      return sites * (2 * begun + 2 * 15 * kept + phi);
  }
  return 0;
}

}  // namespace speedwell::binary_fluid

// A column of one point below the sun, for fluxes that are known.
#pragma once

#include <cstdint>

#include "speedwell/apps/two_stream/two_stream.hpp"

namespace speedwell::two_stream {

/// The cosine of its zenith angle, its flux at the top, and the ground's albedo of any light.
struct Sun {
  double mu0, incident, ground;
};

/// A clear column of so many layers, to which a test may add clouds. `sun` and the arrays must outlive it.
inline Atmosphere<double> sunlit_column(const Sun& sun, std::int64_t layers, const double* optical_depth,
                                        const double* albedo, const double* asymmetry) {
  return {.columns = 1,
          .layers = layers,
          .points = 1,
          .optical_depth = optical_depth,
          .albedo = albedo,
          .asymmetry = asymmetry,
          .mu0 = &sun.mu0,
          .incident = &sun.incident,
          .ground_direct = &sun.ground,
          .ground_diffuse = &sun.ground};
}

}  // namespace speedwell::two_stream

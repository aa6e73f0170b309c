// Fluxes and heating rates of a sunlit column with a cloud, delta-scaled, at one point of the spectrum.
#include <cstdio>
#include <vector>

#include "speedwell/apps/two_stream/two_stream.hpp"

int main() {
  namespace radiation = speedwell::two_stream;
  const std::vector<double> optical_depth = {0.1, 8, 0.3}, albedo = {0.99, 0.9995, 0.85}, asymmetry = {0.2, 0.85, 0.7};
  const double mu0 = 0.6, incident = 600, ground = 0.2;
  const radiation::Atmosphere<double> column = {.columns = 1,
                                                .layers = 3,
                                                .points = 1,
                                                .optical_depth = optical_depth.data(),
                                                .albedo = albedo.data(),
                                                .asymmetry = asymmetry.data(),
                                                .mu0 = &mu0,
                                                .incident = &incident,
                                                .ground_direct = &ground,
                                                .ground_diffuse = &ground};
  std::vector<double> up(4), down(4), direct(4), rates(3);
  radiation::solve(column, {.closure = radiation::Closure::pifm80}, {up.data(), down.data(), direct.data()});
  const std::vector<double> pressure = {0, 5e4, 7e4, 1e5};  // Pa
  const radiation::Fluxes<const double> fluxes = {up.data(), down.data(), direct.data()};
  radiation::heating_rates(1, 3, fluxes, pressure.data(), 9.80665, 1005, rates.data());
  for (int i = 0; i < 4; ++i) std::printf("%9.4f up %9.4f down %9.4f direct\n", up[i], down[i], direct[i]);
  for (const double rate : rates) std::printf("%+.3f K/day\n", 86400 * rate);
}

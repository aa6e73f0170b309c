// Fluxes of 1000 sunlit columns with a cloud on a GPU, one for each height of the sun, compared with those of the host.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "speedwell/apps/two_stream/gpu_solver.hpp"

int main() {
  namespace radiation = speedwell::two_stream;
  if (!speedwell::core::have_device()) {
    std::printf("no GPU\n");
    return 77;
  }
  const std::int64_t columns = 1000, layers = 3;
  const double depth[] = {0.1, 8, 0.3}, albedo[] = {0.99, 0.9995, 0.85}, asymmetry[] = {0.2, 0.85, 0.7};
  std::vector<double> a[3], mu0, incident(columns, 600), ground(columns, 0.2);
  for (std::int64_t n = 0; n < layers * columns; ++n)  // [layer][column]
    for (int k = 0; k < 3; ++k) a[k].push_back((k == 0 ? depth : k == 1 ? albedo : asymmetry)[n / columns]);
  for (std::int64_t c = 0; c < columns; ++c) mu0.push_back((c + 1.0) / columns);
  radiation::Atmosphere<double> air = {.columns = columns, .layers = layers, .points = 1};
  air.optical_depth = a[0].data(), air.albedo = a[1].data(), air.asymmetry = a[2].data(), air.mu0 = mu0.data();
  air.incident = incident.data(), air.ground_direct = air.ground_diffuse = ground.data();
  std::vector<double> gpu[3], host[3];
  for (int k = 0; k < 3; ++k) gpu[k].resize((layers + 1) * columns), host[k].resize(gpu[k].size());
  radiation::solve(air, {}, {host[0].data(), host[1].data(), host[2].data()});  // checks the atmosphere, too
  const speedwell::core::Stream stream;
  radiation::GpuSolver<double> solver(air, {});
  solver.upload(air, stream);
  solver.run(stream);
  solver.download(radiation::Fluxes<double>{gpu[0].data(), gpu[1].data(), gpu[2].data()}, stream);
  double largest = 0;
  for (int k = 0; k < 3; ++k)
    for (std::size_t n = 0; n < gpu[k].size(); ++n) largest = std::fmax(largest, std::abs(gpu[k][n] - host[k][n]));
  std::printf("%.4f W/m2 reflected under a high sun, differences from the host %s\n", gpu[0][columns - 1],
              largest < 1e-9 ? "below 1e-9" : "above 1e-9");
  return largest < 1e-9 ? 0 : 1;
}

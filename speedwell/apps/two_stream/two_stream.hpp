// Two-stream radiation in plane-parallel columns on the host: the public interface. The GPU's is in gpu_solver.hpp.
// Edwards & Slingo, Q. J. R. Meteorol. Soc. 122 (1996) 689; Meador & Weaver, J. Atmos. Sci. 37 (1980) 630.
#pragma once

#include <cstdint>

#include "speedwell/apps/two_stream/closure.hpp"

namespace speedwell::two_stream {

/// The source of the radiation. Sun: a direct beam and the light scattered from it. Thermal: emission of the layers and
/// the ground.
enum class Source { sun, thermal };

/// A non-owning view of columns. Every array is dense, its last index contiguous; [g] counts points of the spectrum
/// (g-points), layers and levels count from the top: level i is above layer i, level `layers` is the ground.
template <class T>
struct Atmosphere {
  std::int64_t columns = 0;
  std::int64_t layers = 0;
  std::int64_t points = 0;
  Source source = Source::sun;
  const T* optical_depth = nullptr;  // [g][layer][column], at least 0
  const T* albedo = nullptr;         // [g][layer][column], of single scattering, in [0, 1]
  const T* asymmetry = nullptr;      // [g][layer][column], in (-1, 1)
  const T* weight = nullptr;         // [g]: broadband fluxes are sums of weight times flux; null: 1 for each

  // Arrays for the sun.
  const T* mu0 = nullptr;             // [column]: cosine of the zenith angle, in (0, 1]; at night 0 or less
  const T* incident = nullptr;        // [g][column]: direct flux through a horizontal plane at the top
  const T* ground_direct = nullptr;   // [g][column]: albedo of the ground for the direct beam, in [0, 1]
  const T* ground_diffuse = nullptr;  // [g][column]: and for diffuse light

  // Arrays for thermal radiation, in the units of a flux.
  const T* planck_level = nullptr;   // [g][level][column]
  const T* planck_middle = nullptr;  // [g][layer][column], in the middle of the optical depth; null: linear in it
  const T* planck_ground = nullptr;  // [g][column]
  const T* emissivity = nullptr;     // [g][column], of the ground, in [0, 1]

  // Clouds: null, or all four. A layer from `cloud_top` on has three regions: clear, with the values above, stratiform
  // (first half of an array) and convective (second half). Layers above have one, and their values here are not used.
  std::int64_t cloud_top = 0;              // of all columns, in [0, layers]
  const T* cloud_fraction = nullptr;       // [2][layer][column]: of the area; each in [0, 1], both together, too
  const T* cloud_optical_depth = nullptr;  // [2][g][layer][column], of all that is in the region, as those above
  const T* cloud_albedo = nullptr;         // [2][g][layer][column]
  const T* cloud_asymmetry = nullptr;      // [2][g][layer][column]
};

struct Options {
  Closure closure = Closure::pifm80;
  bool delta = true;  // delta scaling: the forward peak, a fraction g^2 of the scattered light, counts as not scattered
  bool night = false;  // whether columns with mu0 at most 0 are allowed: night, without a sun
  int threads = 1;
};

/// Broadband fluxes through horizontal planes, [level][column], overwritten. `direct` may be null without a sun.
template <class T>
struct Fluxes {
  T* up = nullptr;
  T* down = nullptr;  // diffuse flux
  T* direct = nullptr;
};

/// Throws std::invalid_argument, with the first column, layer and g-point, for a value that is not finite or outside of
/// the range given in Atmosphere, for a missing array, and for an extent below 1 or more bytes than 64 bits can count.
void require_atmosphere(const Atmosphere<float>& atmosphere, const Options& options);
void require_atmosphere(const Atmosphere<double>& atmosphere, const Options& options);

/// Computes the fluxes of every column on `options.threads` threads, by elimination from the top down and back
/// substitution. With clouds the light of the regions is coupled at each interface from the top of the clouds on by
/// maximum-random overlap (Geleyn & Hollingsworth 1979; regions.hpp has the coefficients), which conserves energy; the
/// ground reflects the light of a region into the same region, and the fluxes are sums over the regions. The bits do
/// not depend on the number of threads, but on the instruction set. Throws std::invalid_argument as require_atmosphere
/// does, and for fewer threads than 1.
void solve(const Atmosphere<float>& atmosphere, const Options& options, const Fluxes<float>& fluxes);
void solve(const Atmosphere<double>& atmosphere, const Options& options, const Fluxes<double>& fluxes);

/// The same for an atmosphere that has passed require_atmosphere(): it reads every value once and not twice.
void solve_unchecked(const Atmosphere<float>& atmosphere, const Options& options, const Fluxes<float>& fluxes);
void solve_unchecked(const Atmosphere<double>& atmosphere, const Options& options, const Fluxes<double>& fluxes);

/// The same on one thread without vectors.
void solve_serially(const Atmosphere<float>& atmosphere, const Options& options, const Fluxes<float>& fluxes);
void solve_serially(const Atmosphere<double>& atmosphere, const Options& options, const Fluxes<double>& fluxes);

/// Coefficients of layers, [g][layer][column], overwritten; those with null pointers are not computed. Sun: per direct
/// flux at the layer's top. Thermal: `top` and `bottom` are the factors of the difference and of the second difference
/// of the Planck flux (see README.md).
template <class T>
struct Coefficients {
  T* reflected = nullptr;    // diffuse
  T* transmitted = nullptr;  // diffuse
  T* direct = nullptr;       // transmitted without being scattered; not for thermal radiation
  T* top = nullptr;          // sun: scattered upwards, out of the top; thermal: c1
  T* bottom = nullptr;       // sun: scattered downwards, out of the bottom; thermal: c2
};

/// Computes the coefficients of every layer of a checked atmosphere; of its arrays only those of layers and mu0 are
/// read, and of clouds none.
void layer_coefficients(const Atmosphere<float>& atmosphere, const Options& options, const Coefficients<float>& to);
void layer_coefficients(const Atmosphere<double>& atmosphere, const Options& options, const Coefficients<double>& to);

/// The same on one thread without vectors.
void layer_coefficients_serially(const Atmosphere<float>& atmosphere, const Options& options,
                                 const Coefficients<float>& to);
void layer_coefficients_serially(const Atmosphere<double>& atmosphere, const Options& options,
                                 const Coefficients<double>& to);

/// Heating rates of every layer in K/s, [layer][column], overwritten: gravity / heat_capacity * (net flux at the top -
/// net flux at the bottom) / (pressure at the bottom - pressure at the top), net = down + direct - up. Fluxes in W/m^2,
/// pressure [level] [column] in Pa, growing downwards, gravity in m/s^2, heat capacity in J/(kg K). Throws
/// std::invalid_argument if the pressure does not increase, with the column and layer, and for constants not above 0.
void heating_rates(std::int64_t columns, std::int64_t layers, const Fluxes<const float>& fluxes, const float* pressure,
                   double gravity, double heat_capacity, float* rates);
void heating_rates(std::int64_t columns, std::int64_t layers, const Fluxes<const double>& fluxes,
                   const double* pressure, double gravity, double heat_capacity, double* rates);

}  // namespace speedwell::two_stream

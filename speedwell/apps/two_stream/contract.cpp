// The argument checks of the public functions; and heating rates.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>

#include "speedwell/apps/two_stream/two_stream.hpp"

namespace speedwell::two_stream {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("two_stream: " + what); }

std::string text(double value) {
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.9g", value);
  return digits;
}

/// The indices of a value; those that its array does not have are -1.
struct Position {
  std::int64_t column, layer, point;  // -1: none
};
std::string at(const Position& position, const char* layer_or_level) {
  std::string where = " at column " + std::to_string(position.column);
  if (position.layer >= 0) where += std::string(", ") + layer_or_level + " " + std::to_string(position.layer);
  if (position.point >= 0) where += ", g-point " + std::to_string(position.point);
  return where;
}

/// Throws for the first of `rows` rows of values for which allowed() is false; row = point * layers + layer.
template <class T, class Allowed>
void require_rows(const T* values, std::int64_t points, std::int64_t layers, std::int64_t columns, int threads,
                  const char* name, const char* layer_or_level, const char* range, const Allowed& allowed) {
  if (!values) refuse(std::string("no array for the ") + name);
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : first)
  for (std::int64_t row = 0; row < points * layers; ++row) {
    bool all = true;
    for (std::int64_t c = 0; c < columns; ++c) all &= allowed(values[row * columns + c]);
    for (std::int64_t c = 0; c < columns && !all; ++c)
      if (!allowed(values[row * columns + c])) {
        first = std::min(first, row * columns + c);
        break;
      }
  }
  if (first == std::numeric_limits<std::int64_t>::max()) return;
  const std::int64_t row = first / columns;
  const bool by_layer = *layer_or_level != 0;
  const Position position{first % columns, by_layer ? row % layers : -1, row / layers};
  refuse(std::string("the ") + name + at(position, layer_or_level) + " is " + text(static_cast<double>(values[first])) +
         "; it must be " + range);
}

/// Throws for the first value of the clouds that is not allowed.
template <class T>
void require_clouds(const Atmosphere<T>& a, int threads) {
  if (a.cloud_top < 0 || a.cloud_top > a.layers)
    refuse("the top of the clouds is layer " + std::to_string(a.cloud_top) + "; it must be in [0, " +
           std::to_string(a.layers) + "]");
  if (!a.cloud_fraction) refuse("no array for the fractions of clouds");
  const std::int64_t layers = a.layers * a.columns, all = a.points * layers;
  for (std::int64_t k = 0; k < layers; ++k) {
    const T stratiform = a.cloud_fraction[k], convective = a.cloud_fraction[layers + k];
    if (!(stratiform >= 0 && convective >= 0 && stratiform + convective <= 1))
      refuse("the fractions of clouds" + at({k % a.columns, k / a.columns, -1}, "layer") + " are " +
             text(static_cast<double>(stratiform)) + " and " + text(static_cast<double>(convective)) +
             "; each must be at least 0, and their sum at most 1");
  }
  for (int region = 0; region < 2; ++region) {
    const std::string of = region == 0 ? " of stratiform cloud" : " of convective cloud";
    const auto require_region = [&](const T* values, const char* name, const char* range, const auto& allowed) {
      require_rows(values ? values + region * all : nullptr, a.points, a.layers, a.columns, threads,
                   (name + of).c_str(), "layer", range, allowed);
    };
    require_region(a.cloud_optical_depth, "optical depth", "finite and at least 0",
                   [](T x) { return x >= 0 && x <= std::numeric_limits<T>::max(); });
    require_region(a.cloud_albedo, "single-scattering albedo", "in [0, 1]", [](T x) { return x >= 0 && x <= 1; });
    require_region(a.cloud_asymmetry, "asymmetry", "in (-1, 1)", [](T x) { return x > -1 && x < 1; });
  }
}

template <class T>
void require(const Atmosphere<T>& a, const Options& options) {
  (void)terms_of(options.closure);
  if (options.threads < 1) refuse(std::to_string(options.threads) + " threads; at least 1 is needed");
  if (a.columns < 1 || a.layers < 1 || a.points < 1)
    refuse(std::to_string(a.columns) + " columns, " + std::to_string(a.layers) + " layers, " +
           std::to_string(a.points) + " g-points; at least one of each is needed");
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(sizeof(T));
  if (a.layers >= most || a.columns > most / (a.layers + 1) || a.points > most / (a.layers + 1) / a.columns)
    refuse(std::to_string(a.columns) + " columns x " + std::to_string(a.layers) + " layers x " +
           std::to_string(a.points) + " g-points are more bytes than 64 bits can count");
  const int threads = options.threads;
  const auto share = [](T x) { return x >= 0 && x <= 1; };
  const auto finite_positive = [](T x) { return x >= 0 && x <= std::numeric_limits<T>::max(); };
  const auto finite = [](T x) { return x >= std::numeric_limits<T>::lowest() && x <= std::numeric_limits<T>::max(); };
  const auto layers = [&](const T* values, const char* name, const char* range, const auto& allowed) {
    require_rows(values, a.points, a.layers, a.columns, threads, name, "layer", range, allowed);
  };
  const auto ground = [&](const T* values, const char* name, const char* range, const auto& allowed) {
    require_rows(values, a.points, 1, a.columns, threads, name, "", range, allowed);
  };
  layers(a.optical_depth, "optical depth", "finite and at least 0", finite_positive);
  layers(a.albedo, "single-scattering albedo", "in [0, 1]", share);
  layers(a.asymmetry, "asymmetry", "in (-1, 1)", [](T x) { return x > -1 && x < 1; });
  for (std::int64_t g = 0; a.weight && g < a.points; ++g)
    if (!finite(a.weight[g]))
      refuse("the weight of g-point " + std::to_string(g) + " is " + text(static_cast<double>(a.weight[g])) +
             "; it must be finite");
  if (a.cloud_fraction || a.cloud_optical_depth || a.cloud_albedo || a.cloud_asymmetry) require_clouds(a, threads);
  if (a.source == Source::sun) {
    if (!a.mu0) refuse("no array for the cosine of the zenith angle");
    for (std::int64_t c = 0; c < a.columns; ++c) {
      const bool day = a.mu0[c] > 0 && a.mu0[c] <= 1, night = options.night && a.mu0[c] <= 0 && finite(a.mu0[c]);
      if (!day && !night)
        refuse("the cosine of the zenith angle at column " + std::to_string(c) + " is " +
               text(static_cast<double>(a.mu0[c])) + "; it must be in (0, 1]" +
               (options.night ? ", or at most 0 at night" : ", or below with Options::night"));
    }
    ground(a.incident, "incident flux", "finite and at least 0", finite_positive);
    ground(a.ground_direct, "albedo of the ground for the direct beam", "in [0, 1]", share);
    ground(a.ground_diffuse, "albedo of the ground for diffuse light", "in [0, 1]", share);
  } else {
    require_rows(a.planck_level, a.points, a.layers + 1, a.columns, threads, "Planck flux", "level",
                 "finite and at least 0", finite_positive);
    if (a.planck_middle) layers(a.planck_middle, "Planck flux in the middle", "finite and at least 0", finite_positive);
    ground(a.planck_ground, "Planck flux of the ground", "finite and at least 0", finite_positive);
    ground(a.emissivity, "emissivity of the ground", "in [0, 1]", share);
  }
}

template <class T>
void rates_of(std::int64_t columns, std::int64_t layers, const Fluxes<const T>& f, const T* pressure, double gravity,
              double heat_capacity, T* rates) {
  if (!(gravity > 0) || !std::isfinite(gravity)) refuse("gravity is " + text(gravity) + "; it must be above 0");
  if (!(heat_capacity > 0) || !std::isfinite(heat_capacity))
    refuse("the heat capacity is " + text(heat_capacity) + "; it must be above 0");
  const T factor = static_cast<T>(gravity / heat_capacity);
  for (std::int64_t i = 0; i < layers; ++i)
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t top = i * columns + c, bottom = top + columns;
      const T thickness = pressure[bottom] - pressure[top];
      if (!(thickness > 0) || !std::isfinite(thickness))
        refuse("the pressure" + at({c, i, -1}, "layer") + " goes from " + text(static_cast<double>(pressure[top])) +
               " to " + text(static_cast<double>(pressure[bottom])) + "; it must grow downwards");
      T gained = (f.down[top] - f.down[bottom]) + (f.up[bottom] - f.up[top]);
      if (f.direct) gained += f.direct[top] - f.direct[bottom];
      rates[top] = factor * gained / thickness;
    }
}

}  // namespace

void require_atmosphere(const Atmosphere<float>& atmosphere, const Options& options) { require(atmosphere, options); }
void require_atmosphere(const Atmosphere<double>& atmosphere, const Options& options) { require(atmosphere, options); }

void heating_rates(std::int64_t columns, std::int64_t layers, const Fluxes<const float>& fluxes, const float* pressure,
                   double gravity, double heat_capacity, float* rates) {
  rates_of(columns, layers, fluxes, pressure, gravity, heat_capacity, rates);
}
void heating_rates(std::int64_t columns, std::int64_t layers, const Fluxes<const double>& fluxes,
                   const double* pressure, double gravity, double heat_capacity, double* rates) {
  rates_of(columns, layers, fluxes, pressure, gravity, heat_capacity, rates);
}

}  // namespace speedwell::two_stream

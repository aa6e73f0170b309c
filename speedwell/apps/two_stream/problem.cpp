// The data are a function of the indices alone, so that they do not depend on the number of threads.
#include "speedwell/apps/two_stream/problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "speedwell/core/random.hpp"

namespace speedwell::two_stream {
namespace {

/// Streams of random numbers, one for each kind of value.
enum Stream : std::uint64_t {
  depths = 1,
  albedos,
  asymmetries,
  suns,
  grounds,
  planck,
  kinds,
  weights,
  cloud_tops,
  cloud_kinds,
  cloud_fractions,
  cloud_depths,
  cloud_albedos,
  cloud_asymmetries
};

double random(const Problem& p, Stream stream, std::int64_t index) {
  return core::random_uniform(p.seed * 64 + stream, static_cast<std::uint64_t>(index));
}

enum class Kind { ordinary, conservative, resonant };
Kind kind_of(const Problem& p, std::int64_t column) {
  const double r = random(p, kinds, column);
  return r < 0.1 ? Kind::conservative : r < 0.11 && p.source == Source::sun ? Kind::resonant : Kind::ordinary;
}

double mu0_of(const Problem& p, std::int64_t column) {
  const double r = random(p, suns, column);
  // 1 / mu0 must be in the range of lambda, whose maximum, sqrt(sum_0 diff_0), is that without scattering.
  return kind_of(p, column) == Kind::resonant ? 0.65 + 0.3 * r : 0.05 + 0.95 * r;
}

/// The albedo at which lambda = 1 / mu0 where the asymmetry is 0.
double resonant_albedo(const Problem& p, double mu0) {
  const ClosureTerms c = terms_of(p.options.closure);
  // (sum_0 - sum_omega w) diff_0 (1 - w) = 1 / mu0^2.
  const double quadratic = c.sum_omega, linear = -(c.sum_0 + c.sum_omega);
  const double constant = c.sum_0 - 1 / (mu0 * mu0 * c.diff_0);
  if (quadratic == 0) return -constant / linear;
  return (-linear - std::sqrt(linear * linear - 4 * quadratic * constant)) / (2 * quadratic);
}

constexpr std::int64_t fraction_steps = 1024;

/// The fractions of stratiform and convective cloud in a layer below the top of the clouds, in steps.
std::array<std::int64_t, 2> cloud_fractions_of(const Problem& p, std::int64_t layer, std::int64_t column) {
  const double kind = random(p, cloud_kinds, column);
  if (kind < 0.15) return {0, 0};
  if (kind < 0.2) return {0, fraction_steps};
  const std::int64_t k = 3 * (layer * p.columns + column);
  const auto steps = [&](std::int64_t index, std::int64_t most) {
    return static_cast<std::int64_t>(random(p, cloud_fractions, index) * static_cast<double>(most + 1));
  };
  const bool overcast = kind < 0.35;
  const std::int64_t amount = overcast ? fraction_steps : steps(k, fraction_steps), convective = steps(k + 1, amount);
  if (overcast) return {amount - convective, convective};
  switch (steps(k + 2, 7)) {
    case 0:
    case 1:
      return {0, 0};
    case 2:
      return {amount, 0};
    case 3:
      return {0, amount};
    default:
      return {amount - convective, convective};
  }
}

}  // namespace

std::int64_t cloud_top(const Problem& p) {
  if (p.kernel != Kernel::triple) return p.layers;
  return static_cast<std::int64_t>(static_cast<double>(p.layers) * (0.1 + 0.3 * random(p, cloud_tops, 0)));
}

template <class T>
void require_problem(const Problem& p) {
  (void)terms_of(p.options.closure);
  if (p.columns < 1 || p.layers < 1 || p.points < 1)
    throw std::invalid_argument("two_stream: " + std::to_string(p.columns) + " columns, " + std::to_string(p.layers) +
                                " layers, " + std::to_string(p.points) + " g-points; at least one of each is needed");
  constexpr std::int64_t most =
      std::numeric_limits<std::int64_t>::max() / 128;  // two regions of 8 bytes, and scratch memory
  if (p.layers >= most || p.columns > most / (p.layers + 1) || p.points > most / (p.layers + 1) / p.columns)
    throw std::invalid_argument("two_stream: " + std::to_string(p.columns) + " columns x " + std::to_string(p.layers) +
                                " layers x " + std::to_string(p.points) +
                                " g-points are more bytes than 64 bits can count");
}

template <class T>
SyntheticAtmosphere<T>::SyntheticAtmosphere(const Problem& p) : problem_(p) {
  require_problem<T>(p);
  const std::int64_t all = p.columns * p.layers * p.points, ground = p.columns * p.points;
  const bool sun = p.source == Source::sun;
  for (auto* array : {&optical_depth_, &albedo_, &asymmetry_}) *array = core::HostBuffer<T>(all, core::Pages::large);
  weight_ = core::HostBuffer<T>(p.points);
  for (std::int64_t g = 0; g < p.points; ++g)
    weight_[g] = static_cast<T>((0.5 + random(p, weights, g)) / static_cast<double>(p.points));
  mu0_ = core::HostBuffer<T>(p.columns);
  for (std::int64_t c = 0; c < p.columns; ++c) mu0_[c] = static_cast<T>(mu0_of(p, c));
  if (sun) {
    for (auto* array : {&incident_, &ground_direct_, &ground_diffuse_}) *array = core::HostBuffer<T>(ground);
  } else {
    planck_level_ = core::HostBuffer<T>(ground * (p.layers + 1), core::Pages::large);
    if (p.quadratic) planck_middle_ = core::HostBuffer<T>(all, core::Pages::large);
    for (auto* array : {&planck_ground_, &emissivity_}) *array = core::HostBuffer<T>(ground);
  }
  const double depth = static_cast<double>(p.layers);
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < p.points * p.layers; ++row) {
    const std::int64_t i = row % p.layers, g = row / p.layers;
    for (std::int64_t c = 0; c < p.columns; ++c) {
      const std::int64_t k = row * p.columns + c;
      const Kind kind = kind_of(p, c);
      optical_depth_[k] = static_cast<T>(std::pow(10, 4 * random(p, depths, k) - 3));
      asymmetry_[k] = static_cast<T>(kind == Kind::resonant ? 0 : 0.85 * random(p, asymmetries, k));
      double omega = 1 - std::pow(10, -6 * random(p, albedos, k));
      if (kind == Kind::conservative) omega = 1;
      if (kind == Kind::resonant)
        omega = resonant_albedo(p, static_cast<double>(mu0_[c])) * (1 + 1e-9 * static_cast<double>(i % 3 - 1));
      albedo_[k] = static_cast<T>(std::min(omega, 1.0));
      if (!sun && p.quadratic) {
        const double x = (static_cast<double>(i) + 0.5) / depth;
        planck_middle_[k] = static_cast<T>(40 + 380 * x * std::sqrt(x) + 2 * random(p, planck, k));
      }
    }
    for (std::int64_t level = i; !sun && level <= p.layers;
         level += p.layers)  // the first row of a point also writes the ground's values
      if (level == i || i == 0)
        for (std::int64_t c = 0; c < p.columns; ++c) {
          const double x = static_cast<double>(level) / depth;
          planck_level_[(g * (p.layers + 1) + level) * p.columns + c] =
              static_cast<T>(40 + 380 * x * std::sqrt(x) + 2 * random(p, planck, ~(row * p.columns + c)));
        }
  }
  for (std::int64_t k = 0; k < ground; ++k) {
    if (sun) {
      incident_[k] = static_cast<T>(1361 * static_cast<double>(mu0_[k % p.columns]));
      ground_direct_[k] = static_cast<T>(0.9 * random(p, grounds, 2 * k));
      ground_diffuse_[k] = static_cast<T>(0.9 * random(p, grounds, 2 * k + 1));
    } else {
      planck_ground_[k] = static_cast<T>(425 + 5 * random(p, grounds, 2 * k));
      emissivity_[k] = static_cast<T>(0.8 + 0.2 * random(p, grounds, 2 * k + 1));
    }
  }
  if (p.kernel == Kernel::triple) make_clouds();
}

template <class T>
void SyntheticAtmosphere<T>::make_clouds() {
  const Problem& p = problem_;
  const std::int64_t layers = p.layers * p.columns, all = layers * p.points;
  cloud_fraction_ = core::HostBuffer<T>(2 * layers, core::Pages::large);
  for (auto* array : {&cloud_optical_depth_, &cloud_albedo_, &cloud_asymmetry_})
    *array = core::HostBuffer<T>(2 * all, core::Pages::large);
  const std::int64_t top = cloud_top(p);
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < layers; ++k) {
    const auto steps =
        k / p.columns < top ? std::array<std::int64_t, 2>{0, 0} : cloud_fractions_of(p, k / p.columns, k % p.columns);
    for (std::int64_t r = 0; r < 2; ++r)
      cloud_fraction_[r * layers + k] = static_cast<T>(steps[r]) / static_cast<T>(fraction_steps);
  }
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < 2 * p.points * p.layers; ++row)
    for (std::int64_t c = 0; c < p.columns; ++c) {
      const std::int64_t k = row * p.columns + c;
      const double thinnest = k < all ? 0.3 : 1, clear = static_cast<double>(optical_depth_[k % all]);
      const double omega = 1 - std::pow(10, -1 - 5 * random(p, cloud_albedos, k));
      cloud_optical_depth_[k] = static_cast<T>(clear + thinnest * std::pow(10, 2 * random(p, cloud_depths, k)));
      cloud_albedo_[k] = static_cast<T>(kind_of(p, c) == Kind::conservative ? 1 : omega);
      cloud_asymmetry_[k] = static_cast<T>(0.75 + 0.13 * random(p, cloud_asymmetries, k));
    }
}

template <class T>
Atmosphere<T> SyntheticAtmosphere<T>::atmosphere() const {
  return {.columns = problem_.columns,
          .layers = problem_.layers,
          .points = problem_.points,
          .source = problem_.source,
          .optical_depth = optical_depth_.data(),
          .albedo = albedo_.data(),
          .asymmetry = asymmetry_.data(),
          .weight = weight_.data(),
          .mu0 = mu0_.data(),
          .incident = incident_.data(),
          .ground_direct = ground_direct_.data(),
          .ground_diffuse = ground_diffuse_.data(),
          .planck_level = planck_level_.data(),
          .planck_middle = planck_middle_.data(),
          .planck_ground = planck_ground_.data(),
          .emissivity = emissivity_.data(),
          .cloud_top = problem_.kernel == Kernel::triple ? cloud_top(problem_) : 0,
          .cloud_fraction = cloud_fraction_.data(),
          .cloud_optical_depth = cloud_optical_depth_.data(),
          .cloud_albedo = cloud_albedo_.data(),
          .cloud_asymmetry = cloud_asymmetry_.data()};
}

template void require_problem<float>(const Problem&);
template void require_problem<double>(const Problem&);
template class SyntheticAtmosphere<float>;
template class SyntheticAtmosphere<double>;

}  // namespace speedwell::two_stream

// Synthetic atmospheres, and the verification of all variants.
#pragma once

#include <cstdint>

#include "speedwell/apps/two_stream/two_stream.hpp"
#include "speedwell/apps/two_stream/verify/reference.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::two_stream {

/// What is computed: coefficients of every layer, or fluxes of every column.
enum class Kernel { coefficients, column };

struct Problem {
  Kernel kernel = Kernel::column;
  Source source = Source::sun;
  bool quadratic = false;  // Planck flux quadratic in optical depth
  std::int64_t columns = 1, layers = 1, points = 1;
  Options options;
  std::uint64_t seed = 1;
};

/// Throws std::invalid_argument for extents below 1 and for more bytes than 64 bits can count.
template <class T>
void require_problem(const Problem& problem);

/// Owns the arrays of a synthetic atmosphere. Layers have optical depths of 10^-3 to 10, co-albedos of 10^-6 to 1,
/// asymmetries to 0.85; a tenth of the columns does not absorb, and in a hundredth lambda is within 10^-9 of 1 / mu0
/// everywhere. mu0 in (0.05, 1), grounds of any albedo to 0.9, Planck fluxes that grow downwards.
template <class T>
class SyntheticAtmosphere {
 public:
  /// Fills the arrays on all threads, each with its columns. Throws as require_problem.
  explicit SyntheticAtmosphere(const Problem& problem);
  Atmosphere<T> atmosphere() const;

 private:
  Problem problem_;
  core::HostBuffer<T> optical_depth_, albedo_, asymmetry_, weight_, mu0_, incident_, ground_direct_, ground_diffuse_;
  core::HostBuffer<T> planck_level_, planck_middle_, planck_ground_, emissivity_;
};

/// Compares the broadband fluxes of every column with `expected`, the result of reference(). The error is the largest
/// difference relative to the largest flux of its column; see verify.cpp for the tolerance. A NaN fails.
template <class T>
core::Verdict verify(const Problem& problem, const Answer& expected, const Fluxes<const T>& got);

/// Compares the coefficients of every layer with `expected`, the result of reference_layers(). The error is the largest
/// difference of any coefficient. A NaN fails.
template <class T>
core::Verdict verify(const Problem& problem, const LayerAnswers& expected, const Coefficients<const T>& got);

/// The same with the oracle's coefficients computed one at a time: stored, they take more memory than the problem.
template <class T>
core::Verdict verify(const Problem& problem, const Atmosphere<T>& atmosphere, const Coefficients<const T>& got);

}  // namespace speedwell::two_stream

// Synthetic atmospheres, and the verification of all variants.
#pragma once

#include <cstdint>

#include "speedwell/apps/two_stream/two_stream.hpp"
#include "speedwell/apps/two_stream/verify/reference.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::two_stream {

/// What is computed: coefficients of every layer, or fluxes of every column, without clouds or (triple) with layers of
/// three regions.
enum class Kernel { coefficients, column, triple };

struct Problem {
  Kernel kernel = Kernel::column;
  Source source = Source::sun;
  bool quadratic = false;  // Planck flux quadratic in optical depth
  std::int64_t columns = 1, layers = 1, points = 1;
  Options options;
  std::uint64_t seed = 1;
};

/// Whether the answer is fluxes of columns.
inline bool is_column(const Problem& problem) { return problem.kernel != Kernel::coefficients; }
/// The first layer that has clouds in any column, for Kernel::triple; it is in the upper half and follows from the
/// seed. The number of layers for the others.
std::int64_t cloud_top(const Problem& problem);

/// Throws std::invalid_argument for extents below 1 and for more bytes than 64 bits can count.
template <class T>
void require_problem(const Problem& problem);

/// Owns the arrays of a synthetic atmosphere. Layers have optical depths of 10^-3 to 10, co-albedos of 10^-6 to 1,
/// asymmetries to 0.85; a tenth of the columns does not absorb, and in a hundredth lambda is within 10^-9 of 1 / mu0
/// everywhere. mu0 in (0.05, 1), grounds of any albedo to 0.9, Planck fluxes that grow downwards. Kernel::triple adds
/// clouds: about a seventh of the columns is clear, as many are overcast, in a twentieth convective cloud fills all
/// layers from cloud_top() on, and in the others a quarter of these layers has no cloud, a quarter one kind and the
/// rest both. Fractions are multiples of 1 / 1024, so that those of the clear regions are exact in f32, too; optical
/// depths of clouds are up to 110, co-albedos 10^-6 to 0.1 (0 in columns that do not absorb), asymmetries 0.75 to 0.88.
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
  core::HostBuffer<T> cloud_fraction_, cloud_optical_depth_, cloud_albedo_, cloud_asymmetry_;

  void make_clouds();
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

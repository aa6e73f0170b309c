// The atmospheres that the application makes up, the oracle's answer to them, and the one verdict on every variant.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/two_stream/reference.hpp"
#include "speedwell/apps/two_stream/two_stream.hpp"
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

/// Owns the arrays of an atmosphere. Layers have optical depths of 10^-3 to 10, co-albedos of 10^-6 to 1, asymmetries
/// to 0.85; a tenth of the columns absorbs nothing, and in a hundredth lambda is within 10^-9 of 1 / mu0 everywhere.
/// mu0 in (0.05, 1), grounds of any albedo to 0.9, Planck fluxes that grow downwards.
template <class T>
class MadeUp {
 public:
  /// All threads take part, each on its strip of columns. Throws as require_problem.
  explicit MadeUp(const Problem& problem);
  Atmosphere<T> atmosphere() const;

 private:
  Problem problem_;
  core::HostBuffer<T> optical_depth_, albedo_, asymmetry_, weight_, mu0_, incident_, ground_direct_, ground_diffuse_;
  core::HostBuffer<T> planck_level_, planck_middle_, planck_ground_, emissivity_;
};

/// What verify() judges by: broadband fluxes of every column, or the coefficients of some layers.
struct Expected {
  Answer fluxes;
  std::vector<LayerAnswer<double>> layers;  // of every `stride`-th
  std::int64_t stride = 1;
};

/// The oracle. Beyond most_layers layer-points in all, the coefficients of every stride-th, a stride without a common
/// factor with the columns, are computed; verify() looks at all of the others whether they are shares of 1.
template <class T>
Expected expect(const Problem& problem, const Atmosphere<T>& atmosphere);
inline constexpr std::int64_t most_layers = std::int64_t{1} << 23;

/// The error is the largest distance from the oracle, of fluxes in the largest flux of the column, of coefficients in
/// the largest of that layer's; see verify.cpp for the tolerance. A NaN fails.
template <class T>
core::Verdict verify(const Problem& problem, const Expected& expected, const Fluxes<const T>& got);
template <class T>
core::Verdict verify(const Problem& problem, const Expected& expected, const Coefficients<const T>& got);

}  // namespace speedwell::two_stream

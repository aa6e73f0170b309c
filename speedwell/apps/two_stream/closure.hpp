// The closures: how the two-stream coefficients follow from the single-scattering albedo and the asymmetry. The codes
// are those of the Edwards-Slingo scheme.
#pragma once

#include <string_view>

namespace speedwell::two_stream {

enum class Closure : int {
  eddington = 2,
  discrete_ordinates = 4,
  pifm85 = 6,  // practical improved flux method, 1985
  elsasser = 12,
  test = 14,  // the scheme's own closure for tests
  hemispheric_mean = 15,
  pifm80 = 16,
};

/// With sum = alpha1 + alpha2 and diff = alpha1 - alpha2 of dU/dtau = alpha1 U - alpha2 D - ...:
///   sum = sum_0 - sum_g omega g - sum_omega omega,  diff = diff_0 (1 - omega),  xi_0 = xi g mu0.
struct ClosureTerms {
  double sum_0, sum_g, sum_omega, diff_0, xi;
};

/// Throws std::invalid_argument for a value that is no closure (5 and 7 to 11 are reserved by the scheme).
ClosureTerms terms_of(Closure closure);
/// The closure with this code. Throws std::invalid_argument if there is none.
Closure closure_of_code(int code);
/// The name of a closure: "eddington", "pifm85" …
std::string_view to_string(Closure closure);
/// The closure of this name. Throws std::invalid_argument if there is none.
Closure closure_of_name(std::string_view name);

inline constexpr Closure closures[] = {
    Closure::eddington, Closure::discrete_ordinates, Closure::pifm85, Closure::elsasser,
    Closure::test,      Closure::hemispheric_mean,   Closure::pifm80};

}  // namespace speedwell::two_stream

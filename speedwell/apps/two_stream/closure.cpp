// The table of closures: Edwards & Slingo (1996), section 2; the coefficients of PIFM80 after Zdunkowski et al. (1980).
#include "speedwell/apps/two_stream/closure.hpp"

#include <stdexcept>
#include <string>

namespace speedwell::two_stream {
namespace {

constexpr double sqrt3 = 1.7320508075688772935;
constexpr double elsassers_diffusivity = 1.66;

}  // namespace

ClosureTerms terms_of(Closure closure) {
  switch (closure) {
    case Closure::eddington:
      return {1.5, 1.5, 0, 2, 1.5};
    case Closure::discrete_ordinates:
      return {sqrt3, sqrt3, 0, sqrt3, sqrt3};
    case Closure::pifm85:
      return {2, 1.5, 0, 2, 1.5};
    case Closure::elsasser:
      return {elsassers_diffusivity, 1.5, 0, elsassers_diffusivity, 1.5};
    case Closure::test:
      return {1.5, 1.5, 0, 1.5, 1.5};
    case Closure::hemispheric_mean:
      return {2, 2, 0, 2, 1.5};
    case Closure::pifm80:
      return {2, 1.5, 0.5, 2, 1.5};
  }
  throw std::invalid_argument("two_stream: closure " + std::to_string(static_cast<int>(closure)) +
                              " is not implemented; 2, 4, 6, 12, 14, 15 and 16 are");
}

Closure closure_of_code(int code) {
  const auto closure = static_cast<Closure>(code);
  (void)terms_of(closure);
  return closure;
}

std::string_view to_string(Closure closure) {
  switch (closure) {
    case Closure::eddington:
      return "eddington";
    case Closure::discrete_ordinates:
      return "discrete_ordinates";
    case Closure::pifm85:
      return "pifm85";
    case Closure::elsasser:
      return "elsasser";
    case Closure::test:
      return "test";
    case Closure::hemispheric_mean:
      return "hemispheric_mean";
    case Closure::pifm80:
      return "pifm80";
  }
  return "none";
}

Closure closure_of_name(std::string_view name) {
  std::string names;
  for (const Closure closure : closures) {
    if (to_string(closure) == name) return closure;
    names += (names.empty() ? "" : ", ") + std::string(to_string(closure));
  }
  throw std::invalid_argument("two_stream: '" + std::string(name) + "' is no closure; there are " + names);
}

}  // namespace speedwell::two_stream

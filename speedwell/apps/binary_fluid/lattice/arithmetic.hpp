// Number types of the collision and gradient code: float, double, and vectors of them (core/simd.hpp).
#pragma once

#include <type_traits>

#include "speedwell/core/host_device.hpp"

namespace speedwell::binary_fluid {

namespace detail {
template <class T, bool scalar = std::is_floating_point_v<T>>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<T, false> {
  using type = std::remove_cv_t<std::remove_reference_t<decltype(T{}[0])>>;
};
}  // namespace detail

/// The element type of T, float or double.
template <class T>
using Real = typename detail::RealOf<T>::type;

/// a b + c. On a device it is rounded once and nothing else is contracted (--fmad=false), so that all kernels compute
/// the same bits for a site. On a host it is rounded twice (-ffp-contract=off), so that all instruction sets do.
template <class T>
SPEEDWELL_HD
inline T mad(T a, T b, T c) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(T) == 4)
    return __fmaf_rn(a, b, c);
  else
    return __fma_rn(a, b, c);
#else
  return a * b + c;
#endif
}
/// A vector with the same number in every lane.
template <class T>
SPEEDWELL_HD
inline T splat(Real<T> value) {
  if constexpr (std::is_floating_point_v<T>)
    return value;
  else
    return value - T{};
}

}  // namespace speedwell::binary_fluid

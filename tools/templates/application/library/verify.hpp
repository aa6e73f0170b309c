// The oracle and the verdict of all variants.
#pragma once

#include <span>
#include <vector>

#include "speedwell/core/verdict.hpp"

namespace speedwell::new_application {

/// The oracle: a x[i] + y[i] in f64, rounded once. It shares no code with what it is compared with.
template <class T>
std::vector<double> reference(T a, std::span<const T> x, std::span<const T> y);

/// Compares every element of z with the oracle's answer. The error is the largest |z[i] - expected[i]| in units of
/// u (|a x[i]| + |y[i]|), u = 2^-53 for f64 and 2^-24 for f32; the tolerance is derived in verify.cpp.
template <class T>
core::Verdict verify(T a, std::span<const T> x, std::span<const T> y, std::span<const double> expected,
                     std::span<const T> z);

}  // namespace speedwell::new_application

// Differences of two arrays, in the measures that verdicts use. A NaN anywhere makes the difference NaN, which exceeds
// every tolerance.
#pragma once

#include <cstdint>
#include <span>

namespace speedwell::core {

/// ||got - expected|| / ||expected|| in the Euclidean norm, accumulated in f64; ||got|| if expected is all zero.
/// Throws std::invalid_argument if the sizes differ.
double relative_l2(std::span<const double> expected, std::span<const double> got);
double relative_l2(std::span<const float> expected, std::span<const float> got);

/// Largest |got - expected|. Throws std::invalid_argument if the sizes differ.
double max_difference(std::span<const double> expected, std::span<const double> got);
double max_difference(std::span<const float> expected, std::span<const float> got);

/// Number of representable values between a and b: 0 if equal (also +0 and -0), 1 for neighbours; the largest integer
/// if either is NaN.
std::uint64_t ulp_distance(double a, double b);
std::uint64_t ulp_distance(float a, float b);

/// Largest ULP distance of any pair. Throws std::invalid_argument if the sizes differ.
std::uint64_t max_ulp_distance(std::span<const double> expected, std::span<const double> got);
std::uint64_t max_ulp_distance(std::span<const float> expected, std::span<const float> got);

}  // namespace speedwell::core

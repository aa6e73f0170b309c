// The judge of every variant, and the bound that its dot product must keep.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "speedwell/apps/stream/problem.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::stream {

/// What a variant hands in: out of copy, scale, add and triad; sum of dot; a, b and c of a sequence.
template <class T>
struct Answer {
  std::span<const T> out = {};
  double sum = std::numeric_limits<double>::quiet_NaN();
  std::span<const T> a = {}, b = {}, c = {};
};

/// The most additions that any product may pass through on its way into the sum of n products. Every variant keeps
/// this: on the host, blocks whose chains are at most 4096 long, added up by halves; on a GPU, at least 262144 chains
/// at once.
constexpr double additions(std::int64_t n) { return 4160.0 + static_cast<double>(n) / 262144.0; }

/// Looks at every element. copy, scale, add: the correctly rounded value, computed again from the inputs' definition.
/// triad: rounded once (fused) or twice. The error is the number of wrong elements, the tolerance 0.
/// dot: the sum in integer arithmetic, exact; |error| <= gamma sum |x y| with gamma = k u / (1 - k u), k =
/// additions(n), u = 2^-53. Higham, Accuracy and Stability of Numerical Algorithms, 2002, 3.1 and 4.2. sequence:
/// STREAM's rule, the average of |value - expected| / |expected| at most 1e-13 (f64) or 1e-6 (f32), held for each
/// element and not only for the average. Expected: a = 2 15^10, b = a / 5, c = 4 a / 15.
template <class T>
core::Verdict verify(const Problem& problem, const Answer<T>& answer);

}  // namespace speedwell::stream

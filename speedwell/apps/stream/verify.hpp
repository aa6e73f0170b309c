// Verification of every variant, and the error bound of its dot product.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "speedwell/apps/stream/problem.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::stream {

/// The outputs of a variant: out of copy, scale, add and triad; sum of dot; a, b and c of a sequence.
template <class T>
struct Answer {
  std::span<const T> out = {};
  double sum = std::numeric_limits<double>::quiet_NaN();
  std::span<const T> a = {}, b = {}, c = {};
};

/// Maximum number of additions on the path of any product to the sum of n products. Every variant satisfies it: on the
/// host by blocks whose chains are at most 4096 long and that are added pairwise; on a GPU by at least 262144
/// concurrent chains.
constexpr double additions(std::int64_t n) { return 4160.0 + static_cast<double>(n) / 262144.0; }

/// Checks every element. copy, scale, add: the correctly rounded value, recomputed from the inputs' definition. triad:
/// rounded once (fused) or twice. The error is the number of wrong elements, the tolerance 0. dot: the sum in exact
/// integer arithmetic; |error| <= gamma sum |x y| with gamma = k u / (1 - k u), k = additions(n), u = 2^-53. Higham,
/// Accuracy and Stability of Numerical Algorithms, 2002, 3.1 and 4.2. sequence: STREAM's rule, an average of |value -
/// expected| / |expected| of at most 1e-13 (f64) or 1e-6 (f32), applied to each element and not only to the average.
/// Expected: a = 2 15^10, b = a / 5, c = 4 a / 15.
template <class T>
core::Verdict verify(const Problem& problem, const Answer<T>& answer);

}  // namespace speedwell::stream

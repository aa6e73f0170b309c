// Verification, the same for all variants, and the two criteria of the study.
#pragma once

#include <span>

#include "speedwell/apps/vector_calculus/verify/reference.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::vector_calculus {

/// Compares a result in the problem's layout with the oracle. Integers: the error is the number of words that differ,
/// which must be 0. Random values: it is the largest error over its bound (verify.cpp), which must be at most 1. A NaN
/// fails. Throws std::invalid_argument if the size is not the result's.
template <class T>
core::Verdict verify(const Inputs<T>& inputs, std::span<const T> got);

/// The criteria of the study's chapter 5 for a word: a relative difference of at most 1e-12 %, or at most 10
/// representable numbers between the two. +0 and -0 are equal; infinities equal only themselves, and a NaN nothing. If
/// terms cancel, a correct result may fail both.
struct StudyCriteria {
  double largest_relative = 0;
  std::uint64_t largest_ulps = 0;
  std::int64_t over_relative = 0, over_ulps = 0;  // words
};
inline constexpr double study_relative = 1e-14;
inline constexpr std::uint64_t study_ulps = 10;
template <class T>
StudyCriteria study_criteria(std::span<const T> expected, std::span<const T> got);

struct VerificationResult {
  core::Verdict verdict;  // verify()
  StudyCriteria study;    // against the oracle rounded to T
};
/// Computes both in one pass over the oracle.
template <class T>
VerificationResult verify_in_detail(const Inputs<T>& inputs, std::span<const T> got);

}  // namespace speedwell::vector_calculus

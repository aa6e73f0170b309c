// The one verdict on every variant, and the two criteria of the study beside it.
#pragma once

#include <span>

#include "speedwell/apps/vector_calculus/reference.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::vector_calculus {

/// Holds a result in the problem's layout against the oracle. Whole numbers: words that differ from the oracle, to be
/// none. Random values: the largest error over its bound (verify.cpp), to be at most 1. A NaN fails. Throws
/// std::invalid_argument if the size is not the result's.
template <class T>
core::Verdict verify(const Inputs<T>& inputs, std::span<const T> got);

/// What the study's chapter 5 asks of a word: a relative difference of at most 1e-12 %, or at most 10 representable
/// numbers between the two. +0 and -0 are the same; what is not finite differs from everything else and a NaN from all.
/// Where terms cancel, a right result may miss both.
struct StudyCriteria {
  double largest_relative = 0;
  std::uint64_t largest_ulps = 0;
  std::int64_t beyond_relative = 0, beyond_ulps = 0;  // words
};
inline constexpr double study_relative = 1e-14;
inline constexpr std::uint64_t study_ulps = 10;
template <class T>
StudyCriteria study_criteria(std::span<const T> expected, std::span<const T> got);

struct StudyVerdict {
  core::Verdict verdict;  // verify()
  StudyCriteria study;    // against the oracle rounded to T
};
/// Both in one pass over the oracle.
template <class T>
StudyVerdict verify_with_study(const Inputs<T>& inputs, std::span<const T> got);

}  // namespace speedwell::vector_calculus

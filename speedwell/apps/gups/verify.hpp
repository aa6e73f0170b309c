// Verification, common to all variants.
#pragma once

#include <cstdint>
#include <span>

#include "speedwell/core/verdict.hpp"

namespace speedwell::gups {

/// HPC Challenge permits errors in one percent of the words.
constexpr double allowed_part = 0.01;

/// Number of words of `got` that differ from `expected`, which has the same size. If `expected` is T[i] = i after a
/// replay of the stream, these are the words that a replay over `got` would not restore to i, since XOR is its own
/// inverse.
std::uint64_t wrong_words(std::span<const std::uint64_t> expected, std::span<const std::uint64_t> got);

/// Passes if no word is wrong: HPC Challenge permits one percent, but no variant here loses updates. The verdict's text
/// reports the fraction. Throws std::invalid_argument for tables of different sizes.
core::Verdict verify(std::span<const std::uint64_t> expected, std::span<const std::uint64_t> got);

}  // namespace speedwell::gups

// The one verdict on every variant.
#pragma once

#include <cstdint>
#include <span>

#include "speedwell/core/verdict.hpp"

namespace speedwell::gups {

/// Of HPC Challenge: a hundredth of the words may be wrong.
constexpr double allowed_part = 0.01;

/// Words of `got` that are not those of `expected`, which is as long. Where `expected` is T[i] = i after a replay of
/// the stream, these are the words that a replay over `got` would not bring back to i: XOR undoes itself.
std::uint64_t wrong_words(std::span<const std::uint64_t> expected, std::span<const std::uint64_t> got);

/// Passes without a wrong word: HPC Challenge would let a hundredth go, but nothing here loses an update. The oracle's
/// text has their part. Throws std::invalid_argument for tables of two lengths.
core::Verdict verify(std::span<const std::uint64_t> expected, std::span<const std::uint64_t> got);

}  // namespace speedwell::gups

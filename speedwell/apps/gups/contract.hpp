// What the host's functions share: their contract, and how a stream is divided. Not installed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "speedwell/apps/gups/gups.hpp"

namespace speedwell::gups {

/// Throws std::invalid_argument as require_valid(), and for a table of another number of words.
void require_table(const Problem& problem, std::span<const std::uint64_t> table);
/// Throws std::invalid_argument for less than one thread.
void require_threads(int threads);

/// Updates first + 1 ... last.
struct Part {
  std::uint64_t first, last;
};
/// Part `place` of `of` parts that are as long as each other but for one update, the longer ones first.
inline Part part_of(std::uint64_t updates, int of, int place) {
  const auto parts = static_cast<std::uint64_t>(of), which = static_cast<std::uint64_t>(place);
  const std::uint64_t least = updates / parts, longer = updates % parts;
  const std::uint64_t first = least * which + std::min(which, longer);
  return {first, first + least + (which < longer)};
}

}  // namespace speedwell::gups

// Argument checks of the host functions, and the division of the stream. Not installed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "speedwell/apps/gups/gups.hpp"

namespace speedwell::gups {

/// Throws std::invalid_argument as require_valid(), and for a table of a different size.
void require_table(const Problem& problem, std::span<const std::uint64_t> table);
/// Throws std::invalid_argument for fewer than one thread.
void require_threads(int threads);

/// Updates first + 1 ... last of the stream.
struct StreamRange {
  std::uint64_t first, last;
};
/// Range `index` of `count` ranges of equal length, except that the first ones may be longer by one update.
inline StreamRange stream_range(std::uint64_t updates, int count, int index) {
  const auto ranges = static_cast<std::uint64_t>(count), which = static_cast<std::uint64_t>(index);
  const std::uint64_t shorter = updates / ranges, num_longer = updates % ranges;
  const std::uint64_t first = shorter * which + std::min(which, num_longer);
  return {first, first + shorter + (which < num_longer)};
}

}  // namespace speedwell::gups

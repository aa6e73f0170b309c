// Ranges of indices, and the division of items into nearly equal parts.
#pragma once

#include <cstdint>

namespace speedwell::comm {

struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// Part `index` of `count` items in contiguous parts whose sizes differ by at most one, larger parts first.
Range part_of(std::int64_t count, int parts, int index);

}  // namespace speedwell::comm

// The layout of lines of points in memory.
#pragma once

#include <cstdint>

#include "speedwell/core/host_device.hpp"

namespace speedwell::fft::gpu {

/// Point i of line l is at i * element + l % count[0] * step[0] + l / count[0] % count[1] * step[1] + l / (count[0]
/// count[1]) * step[2]; lines are numbered from `first` on.
struct LineLayout {
  std::int64_t element = 1;
  std::int64_t count[2] = {1, 1};
  std::int64_t step[3] = {};
  std::int64_t first = 0;

  SPEEDWELL_HD
  std::int64_t line(std::int64_t number) const {
    const std::int64_t l = first + number, rest = l / count[0];
    return l % count[0] * step[0] + rest % count[1] * step[1] + rest / count[1] * step[2];
  }
};

/// The layout that begins at line `first`.
inline LineLayout from_line(LineLayout layout, std::int64_t first) {
  layout.first += first;
  return layout;
}
/// Contiguous lines with a distance of `pitch`.
inline LineLayout row_layout(std::int64_t pitch) { return {.element = 1, .step = {0, 0, pitch}}; }
inline bool is_row_layout(const LineLayout& p) { return p.element == 1 && p.count[0] == 1 && p.count[1] == 1; }
/// Columns of consecutive arrays [n][inner].
inline LineLayout column_layout(std::int64_t n, std::int64_t inner) {
  return {.element = inner, .count = {inner, 1}, .step = {1, 0, n * inner}};
}

}  // namespace speedwell::fft::gpu

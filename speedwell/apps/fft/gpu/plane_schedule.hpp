// The order in which blocks take the rows and columns of planes.
#pragma once

#include <cstdint>

#include "speedwell/core/host_device.hpp"

namespace speedwell::fft::gpu {

/// A block's turn: a part of the rows or columns of one plane, or nothing.
struct PlaneTask {
  enum class Kind { none, rows, columns, finished } kind;
  std::int64_t plane;
  int part;
};

/// Rows of plane p, mixed with columns of plane p - lag. Columns wait for rows with smaller tickets only, and those
/// have been taken by blocks that run: somebody always makes progress. (2^32 tickets are more than memory holds
/// planes.)
struct PlaneSchedule {
  std::int64_t planes;
  int row_tasks, column_tasks, lag;  // tasks of a plane

  SPEEDWELL_HD
  PlaneTask task(std::uint32_t ticket) const {
    using Kind = PlaneTask::Kind;
    const int tasks = row_tasks + column_tasks;
    const std::int64_t turn = ticket / static_cast<std::uint32_t>(tasks);
    const int k = static_cast<int>(ticket % static_cast<std::uint32_t>(tasks));
    if (turn >= planes + lag) return {Kind::finished, 0, 0};
    // Of the first k tasks of a turn, this many are columns: as evenly mixed as can be.
    const int columns = k * column_tasks / tasks;
    const bool is_columns = (k + 1) * column_tasks / tasks > columns;
    if (is_columns) return {turn >= lag ? Kind::columns : Kind::none, turn - lag, columns};
    return {turn < planes ? Kind::rows : Kind::none, turn, k - columns};
  }
};

}  // namespace speedwell::fft::gpu

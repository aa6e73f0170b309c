// The order in which blocks process the rows and columns of planes.
#pragma once

#include <cstdint>

#include "speedwell/core/host_device.hpp"

namespace speedwell::fft::gpu {

/// The task of a ticket: a tile of rows or columns of one plane, or nothing.
struct PlaneTask {
  enum class Kind { none, rows, columns, finished } kind;
  std::int64_t plane;
  int tile;
};

/// Step p has the rows of plane p, interleaved with the columns of plane p - lag. Columns wait only for rows with
/// smaller tickets, which are held by running blocks: there is always progress. (2^32 tickets are more than the planes
/// that fit memory need.)
struct PlaneSchedule {
  std::int64_t planes;
  int row_tasks, column_tasks, lag;  // tasks per plane

  SPEEDWELL_HD
  PlaneTask task(std::uint32_t ticket) const {
    using Kind = PlaneTask::Kind;
    const int tasks = row_tasks + column_tasks;
    const std::int64_t step = ticket / static_cast<std::uint32_t>(tasks);
    const int k = static_cast<int>(ticket % static_cast<std::uint32_t>(tasks));
    if (step >= planes + lag) return {Kind::finished, 0, 0};
    // The number of columns among the first k tasks of a step: rows and columns are interleaved evenly.
    const int columns = k * column_tasks / tasks;
    const bool is_columns = (k + 1) * column_tasks / tasks > columns;
    if (is_columns) return {step >= lag ? Kind::columns : Kind::none, step - lag, columns};
    return {step < planes ? Kind::rows : Kind::none, step, k - columns};
  }
};

}  // namespace speedwell::fft::gpu

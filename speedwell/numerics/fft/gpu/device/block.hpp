// The mapping of lines and points to the threads of a block, and the layout of points in shared memory between passes.
#pragma once

#include <algorithm>

#include "speedwell/numerics/fft/gpu/device/line.hpp"

namespace speedwell::fft::gpu {

/// The mapping to neighbouring threads, chosen so that they access contiguous memory: points of a row, the same point
/// of neighbouring columns, or rows in loads and columns in stores.
enum class Lines { rows, columns, rows_to_columns };

/// Threads of a multiprocessor; registers limit them: 128 per thread in f64, 64 in f32.
template <class T>
constexpr int resident_threads = 4096 / sizeof(T);
/// Columns are read in segments of 128 bytes up to 512 points: 64 KiB per block with 16 points per thread.
template <class T>
constexpr int column_threads = resident_threads<T> / 2;
/// Rows are contiguous without neighbours: smaller blocks wait less at barriers.
template <class T, int log_n>
constexpr int row_threads = std::max(Line<T, log_n>::width,
                                     resident_threads<T> / (sizeof(T) == 8 && log_n >= 9 ? 2 : 4));
template <class T, int log_n, Lines kind>
constexpr int default_threads = kind == Lines::rows ? row_threads<T, log_n>
                                                    : std::max(Line<T, log_n>::width, column_threads<T>);

template <class T, int log_n, Lines kind, int block_threads = default_threads<T, log_n, kind>>
struct Block {
  using OneLine = Line<T, log_n>;
  using Registers = typename OneLine::Registers;
  static constexpr int threads = block_threads;
  static constexpr int lines = threads / OneLine::width;
  static_assert(lines > 0);
  // Neighbouring threads that read the same point of neighbouring rows, and the next point after the last row, must
  // access different banks: the pitch of rows is shifted by as many entries as threads access the same row.
  static constexpr int row_bytes = lines * static_cast<int>(sizeof(T));
  static constexpr int row_offset = row_bytes < 64 ? 64 / row_bytes : 1;
  static constexpr int pitch = padded(OneLine::n) + (kind == Lines::rows_to_columns ? row_offset : 0);
  /// Complex numbers in shared memory; none if a thread holds a whole line.
  static constexpr int shared_points = OneLine::passes > 1 ? lines* pitch : 0;
  /// Lines within a single warp need no synchronisation between warps.
  static constexpr bool single_warp = kind == Lines::rows && OneLine::width <= 32;

  struct Position {
    int line, lane;
  };
  SPEEDWELL_HD
  static constexpr Position row_position(int thread) { return {thread / OneLine::width, thread % OneLine::width}; }
  SPEEDWELL_HD
  static constexpr Position column_position(int thread) { return {thread % lines, thread / lines}; }
  SPEEDWELL_HD
  static constexpr Position load_position(int thread) {
    return kind == Lines::columns ? column_position(thread) : row_position(thread);
  }
  SPEEDWELL_HD
  static constexpr Position store_position(int thread) {
    return kind == Lines::rows ? row_position(thread) : column_position(thread);
  }
  /// The line and lane of a thread before and after the exchange that follows `pass`.
  SPEEDWELL_HD
  static constexpr Position position_before(int pass, int thread) {
    return pass == 0 ? load_position(thread) : store_position(thread);
  }

  /// Index in shared memory during the exchange that follows `pass`.
  SPEEDWELL_HD
  static constexpr int shared_index(int pass, int line, int index) {
    const bool by_rows = kind == Lines::rows || (kind == Lines::rows_to_columns && pass == 0);
    return by_rows ? line * pitch + padded(index) : padded(index) * lines + line;
  }
  template <int pass>
  SPEEDWELL_HD
  static constexpr int write_index(int thread, int e) {
    const Position at = position_before(pass, thread);
    return shared_index(pass, at.line, OneLine::template point_index_after<pass>(at.lane, e));
  }
  template <int pass>
  SPEEDWELL_HD
  static constexpr int read_index(int thread, int e) {
    const Position at = store_position(thread);
    return shared_index(pass, at.line, OneLine::point_index(at.lane, e));
  }
};

}  // namespace speedwell::fft::gpu

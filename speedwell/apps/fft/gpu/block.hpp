// Which threads of a block have which points of which lines, and where these wait in shared memory between passes.
#pragma once

#include <algorithm>

#include "speedwell/apps/fft/gpu/line.hpp"

namespace speedwell::fft::gpu {

/// What neighbouring threads take, so that they read and write neighbours in memory: places of a row, the same place of
/// neighbouring columns, or rows read and columns written.
enum class Lines { rows, columns, rows_to_columns };

/// Registers are what limits the threads of a multiprocessor: 128 each in f64, 64 in f32.
template <class T>
constexpr int resident_threads = 4096 / sizeof(T);
/// Columns are read 128 bytes wide up to 512 points: 64 KiB a block where a thread has 16 points.
template <class T>
constexpr int column_threads = resident_threads<T> / 2;
/// Rows need no neighbours: the more blocks, the less they wait for each other.
template <class T, int log_n>
constexpr int row_threads = std::max(Line<T, log_n>::width,
                                     resident_threads<T> / (sizeof(T) == 8 && log_n >= 9 ? 2 : 4));
template <class T, int log_n, Lines kind>
constexpr int usual_threads = kind == Lines::rows ? row_threads<T, log_n>
                                                  : std::max(Line<T, log_n>::width, column_threads<T>);

template <class T, int log_n, Lines kind, int block_threads = usual_threads<T, log_n, kind>>
struct Block {
  using OneLine = Line<T, log_n>;
  using Registers = typename OneLine::Registers;
  static constexpr int threads = block_threads;
  static constexpr int lines = threads / OneLine::width;
  static_assert(lines > 0);
  // Neighbouring threads that read the same place of neighbouring rows, and the next place once past the last row, must
  // not meet in a bank: rows begin as many places of 128 bytes apart as threads have the same row.
  static constexpr int row_bytes = lines * static_cast<int>(sizeof(T));
  static constexpr int same_row = row_bytes < 64 ? 64 / row_bytes : 1;
  static constexpr int pitch = padded(OneLine::n) + (kind == Lines::rows_to_columns ? same_row : 0);
  /// Complex numbers of shared memory; none where a thread has a line to itself.
  static constexpr int shared_points = OneLine::passes > 1 ? lines* pitch : 0;
  /// Lines whose threads are of one warp have no other to wait for.
  static constexpr bool warp_alone = kind == Lines::rows && OneLine::width <= 32;

  struct At {
    int line, lane;
  };
  SPEEDWELL_HD
  static constexpr At in_row(int thread) { return {thread / OneLine::width, thread % OneLine::width}; }
  SPEEDWELL_HD
  static constexpr At in_column(int thread) { return {thread % lines, thread / lines}; }
  SPEEDWELL_HD
  static constexpr At loads(int thread) { return kind == Lines::columns ? in_column(thread) : in_row(thread); }
  SPEEDWELL_HD
  static constexpr At stores(int thread) { return kind == Lines::rows ? in_row(thread) : in_column(thread); }
  /// Among which line's points a thread is before and after the exchange that follows `pass`.
  SPEEDWELL_HD
  static constexpr At before(int pass, int thread) { return pass == 0 ? loads(thread) : stores(thread); }

  /// In shared memory during the exchange that follows `pass`.
  SPEEDWELL_HD
  static constexpr int shared_place(int pass, int line, int place) {
    const bool by_rows = kind == Lines::rows || (kind == Lines::rows_to_columns && pass == 0);
    return by_rows ? line * pitch + padded(place) : padded(place) * lines + line;
  }
  template <int pass>
  SPEEDWELL_HD
  static constexpr int written(int thread, int e) {
    const At at = before(pass, thread);
    return shared_place(pass, at.line, OneLine::template place_after<pass>(at.lane, e));
  }
  template <int pass>
  SPEEDWELL_HD
  static constexpr int read(int thread, int e) {
    const At at = stores(thread);
    return shared_place(pass, at.line, OneLine::place(at.lane, e));
  }
};

}  // namespace speedwell::fft::gpu

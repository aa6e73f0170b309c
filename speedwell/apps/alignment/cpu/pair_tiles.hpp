// The table of one pair, or a rectangle of it, tile after tile on several threads: memory linear in its sides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/cpu/pair_kernel.hpp"
#include "speedwell/core/simd/isa.hpp"

namespace speedwell::alignment {

/// A rectangle of the table: rows row … row + rows - 1 and so on, counted from 0.
struct Rectangle {
  std::size_t row = 0, column = 0, rows = 0, columns = 0;
};

/// The values that a rectangle needs of the cells before it, as in Tile. At the table's edge all are 0.
struct Borders {
  std::vector<std::int32_t> top_h, top_f, left_h, left_e;
  std::int32_t corner = 0;
  static Borders of_table(std::size_t rows, std::size_t columns);
};

/// Borders kept along lines through a rectangle, from which those of each of its cells, the parts between the lines,
/// can be put together.
class Grid {
 public:
  Grid(const Rectangle& whole, const Borders& borders, std::size_t rows, std::size_t columns);

  /// Takes 8 bytes for each row and column of every line.
  static double bytes(const Rectangle& whole, std::size_t rows, std::size_t columns);

  /// The part that has the table's cell (row, column), up to and with it, and its borders.
  Rectangle part_before(std::size_t row, std::size_t column) const;
  Borders borders_of(const Rectangle& part) const;

  bool on_row_line(std::size_t row) const { return (row - whole_.row) % rows_ == 0; }
  bool on_column_line(std::size_t column) const { return (column - whole_.column) % columns_ == 0; }
  /// Keeps the part of a tile's border that is on a line of the grid.
  void keep_top(const Tile& tile, std::size_t row, std::size_t column);
  void keep_left(const Tile& tile, std::size_t row, std::size_t column);

 private:
  Rectangle whole_;
  std::size_t rows_, columns_;  // between lines
  std::int32_t corner_;
  std::vector<std::int32_t> left_h_;         // of the whole rectangle
  std::vector<std::int32_t> row_h_, row_f_;  // of each line, whole_.columns
  std::vector<std::int32_t> column_h_, column_e_;
};

/// How large tiles are; columns is a multiple of tile_columns_multiple.
struct TileShape {
  std::size_t rows, columns;
};

/// Called with a tile that is done, with the borders that it leaves, and the table's row and column of its first cell.
using TileWatch = std::function<void(const Tile& tile, std::size_t row, std::size_t column)>;

class PairTable {
 public:
  /// Keeps views of the sequences and of the matrix. Throws std::invalid_argument for an instruction set that the
  /// processor does not have.
  PairTable(Codes query, Codes subject, const Scoring& scoring, const SearchOptions& options);

  /// The shape that keeps `threads` busy.
  TileShape usual_shape(const Rectangle& part) const;
  /// Computes a rectangle from its borders, which become those of what lies right of it and below. The result is the
  /// first of its cells in row order with the largest H, counted from 1 in the table. Keeps borders in `grid` if given;
  /// its distances must be multiples of the shape. Calls `watch` if given for every tile when it is done, from several
  /// threads, but for those of one row of tiles one after another; their `best` is then that of the tile. Throws
  /// Stopped.
  EndPoint sweep(const Rectangle& part, Borders& borders, TileShape shape, Grid* grid = nullptr,
                 const TileWatch& watch = {}) const;

  Codes query() const { return query_; }
  Codes subject() const { return subject_; }
  const std::int8_t* scores() const { return scores_; }
  std::int32_t gap_first() const { return gap_first_; }
  std::int32_t gap_next() const { return gap_next_; }

 private:
  void score(Tile& tile) const;

  Codes query_, subject_;
  const std::int8_t* scores_;
  std::int32_t gap_first_, gap_next_, highest_;
  std::vector<std::uint8_t> query_symbols_;
  const TileKernels *kernels_, *narrow_kernels_;
  Control control_;
  int threads_;
};

}  // namespace speedwell::alignment

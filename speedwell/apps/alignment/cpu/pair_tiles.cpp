// The wavefront of tiles: each depends on those above and left of it only. A tile is computed with the
// narrowest lanes that hold its values, less a base where 0 is out of reach, so that scores of any size take 16 bits as
// long as those of one tile lie together.
#include "speedwell/apps/alignment/cpu/pair_tiles.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "speedwell/apps/alignment/cpu/threads.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/simd/isa_choice.hpp"

namespace speedwell::alignment {
namespace {

constexpr std::size_t large_tile = 2048, small_tile = 512;
// Waking threads takes as long as this many cells.
constexpr double cells_worth_threads = 1e7;
// In fewer columns, rows of 32-byte vectors take less time than those of 64, where what a row costs but for its cells
// counts more, as for 350 x 350 residues.
constexpr std::size_t columns_worth_avx512 = 1024;

const TileKernels& kernels(core::Isa isa) {
  core::require_supported(isa);
  return SPEEDWELL_OF_EVERY_ISA(isa, tile_kernels);
}

std::size_t parts(std::size_t length, std::size_t part) { return (length + part - 1) / part; }

/// Tiles in the order of anti-diagonals, from which threads take the next one. All that a tile waits for has been taken
/// before it.
class Wavefront {
 public:
  Wavefront(std::size_t rows, std::size_t columns, const std::atomic<bool>* stop)
      : rows_(rows), columns_(columns), stop_(stop), done_(columns) {}

  bool take(std::size_t& row, std::size_t& column) {
    const std::lock_guard lock(mutex_);
    if (diagonal_ >= rows_ + columns_ - 1) return false;
    if (stop_ && stop_->load(std::memory_order_relaxed)) {
      stopped_ = true;
      return false;
    }
    row = row_;
    column = diagonal_ - row_;
    if (++row_ == rows_ || row_ > diagonal_) {
      ++diagonal_;
      row_ = diagonal_ < columns_ ? 0 : diagonal_ - columns_ + 1;
    }
    return true;
  }
  void wait(std::size_t row, std::size_t column) const {
    while (done_[column].load(std::memory_order_acquire) < row ||
           (column > 0 && done_[column - 1].load(std::memory_order_acquire) <= row))
      std::this_thread::yield();
  }
  /// Whether tiles were left out. To be called by one thread.
  bool stopped() const { return stopped_; }
  void finish(std::size_t column) { done_[column].fetch_add(1, std::memory_order_release); }

 private:
  std::size_t rows_, columns_;
  const std::atomic<bool>* stop_;
  bool stopped_ = false;
  std::mutex mutex_;
  std::size_t diagonal_ = 0, row_ = 0;
  std::vector<std::atomic<std::size_t>> done_;  // tiles of each column
};

}  // namespace

// --- borders kept
// -----------------------------------------------------------------------------------------------------

Borders Borders::of_table(std::size_t rows, std::size_t columns) {
  return {.top_h = std::vector<std::int32_t>(columns),
          .top_f = std::vector<std::int32_t>(columns),
          .left_h = std::vector<std::int32_t>(rows),
          .left_e = std::vector<std::int32_t>(rows)};
}

Grid::Grid(const Rectangle& whole, const Borders& borders, std::size_t rows, std::size_t columns)
    : whole_(whole), rows_(rows), columns_(columns), corner_(borders.corner), left_h_(borders.left_h) {
  row_h_.resize(parts(whole.rows, rows) * whole.columns);
  row_f_.resize(row_h_.size());
  column_h_.resize(parts(whole.columns, columns) * whole.rows);
  column_e_.resize(column_h_.size());
}

double Grid::bytes(const Rectangle& whole, std::size_t rows, std::size_t columns) {
  return 8 * (static_cast<double>(parts(whole.rows, rows)) * static_cast<double>(whole.columns) +
              static_cast<double>(parts(whole.columns, columns)) * static_cast<double>(whole.rows));
}

void Grid::keep_top(const Tile& tile, std::size_t row, std::size_t column) {
  const std::size_t at = (row - whole_.row) / rows_ * whole_.columns + (column - whole_.column);
  std::copy_n(tile.top_h, tile.columns, row_h_.begin() + static_cast<std::ptrdiff_t>(at));
  std::copy_n(tile.top_f, tile.columns, row_f_.begin() + static_cast<std::ptrdiff_t>(at));
}

void Grid::keep_left(const Tile& tile, std::size_t row, std::size_t column) {
  const std::size_t at = (column - whole_.column) / columns_ * whole_.rows + (row - whole_.row);
  std::copy_n(tile.left_h, tile.rows, column_h_.begin() + static_cast<std::ptrdiff_t>(at));
  std::copy_n(tile.left_e, tile.rows, column_e_.begin() + static_cast<std::ptrdiff_t>(at));
}

Rectangle Grid::part_before(std::size_t row, std::size_t column) const {
  const std::size_t r = whole_.row + (row - whole_.row) / rows_ * rows_;
  const std::size_t c = whole_.column + (column - whole_.column) / columns_ * columns_;
  return {r, c, row - r + 1, column - c + 1};
}

Borders Grid::borders_of(const Rectangle& part) const {
  const auto cut = [](const std::vector<std::int32_t>& all, std::size_t first, std::size_t count) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<std::int32_t>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  const std::size_t row = part.row - whole_.row, column = part.column - whole_.column;
  const std::size_t top = row / rows_ * whole_.columns + column, left = column / columns_ * whole_.rows + row;
  Borders b;
  b.top_h = cut(row_h_, top, part.columns);
  b.top_f = cut(row_f_, top, part.columns);
  b.left_h = cut(column_h_, left, part.rows);
  b.left_e = cut(column_e_, left, part.rows);
  b.corner = column > 0 ? row_h_[top - 1] : row > 0 ? left_h_[row - 1] : corner_;
  return b;
}

// --- tiles
// ------------------------------------------------------------------------------------------------------------

PairTable::PairTable(Codes query, Codes subject, const Scoring& scoring, const SearchOptions& options)
    : query_(query),
      subject_(subject),
      scores_(scoring.matrix.data()),
      highest_(std::max(0, scoring.matrix.highest())),
      kernels_(&kernels(options.isa)),
      narrow_kernels_(&kernels(std::min(options.isa, core::Isa::avx2))),
      control_(options.control),
      threads_(thread_count(options.threads)) {
  // A gap that costs more than any score is never taken: larger costs are the same.
  const auto shorter = static_cast<std::int64_t>(std::min(query.size(), subject.size()));
  const std::int64_t maximum = std::min<std::int64_t>(highest_ * shorter + 1, std::numeric_limits<std::int32_t>::max());
  gap_first_ = static_cast<std::int32_t>(std::min(std::int64_t{scoring.gap_open} + scoring.gap_extend, maximum));
  gap_next_ = static_cast<std::int32_t>(std::min(std::int64_t{scoring.gap_extend}, maximum));
  bool seen[code_limit] = {};
  for (const std::uint8_t code : query) seen[code] = true;
  for (int code = 0; code < code_limit; ++code)
    if (seen[code]) query_symbols_.push_back(static_cast<std::uint8_t>(code));
}

TileShape PairTable::usual_shape(const Rectangle& part) const {
  const auto threads = static_cast<std::size_t>(threads_);
  // A side is cut into four tiles for each thread, so that most of them have one most of the time.
  const auto side = [&](std::size_t length) {
    const std::size_t wanted = threads == 1 ? large_tile : parts(length, 4 * threads);
    const std::size_t tile = std::clamp(wanted, small_tile, large_tile);
    const std::size_t even = parts(length, std::max<std::size_t>(parts(length, tile), 1));
    return parts(std::max<std::size_t>(even, 1), tile_columns_multiple) * tile_columns_multiple;
  };
  return {side(part.rows), side(part.columns)};
}

EndPoint PairTable::sweep(const Rectangle& part, Borders& borders, TileShape shape, Grid* grid,
                          const TileWatch& watch) const {
  EndPoint best;
  if (part.rows == 0 || part.columns == 0) return best;
  const std::size_t rows = parts(part.rows, shape.rows), columns = parts(part.columns, shape.columns);
  // H above and left of the next tile of each row of tiles.
  std::vector<std::int32_t> corners(rows);
  for (std::size_t r = 0; r < rows; ++r) corners[r] = r == 0 ? borders.corner : borders.left_h[r * shape.rows - 1];

  const bool alone = static_cast<double>(part.rows) * static_cast<double>(part.columns) < cells_worth_threads;
  const int threads =
      alone ? 1 : static_cast<int>(std::min<std::size_t>({static_cast<std::size_t>(threads_), rows, columns}));
  std::vector<core::HostBuffer<unsigned char>> workspaces;
  for (int t = 0; t < threads; ++t)
    workspaces.emplace_back(tile_workspace_bytes(std::min(shape.rows, part.rows), std::min(shape.columns, part.columns),
                                                 static_cast<int>(query_symbols_.size())));
  Wavefront wavefront(rows, columns, control_.stop);
  std::atomic<std::int32_t> reached{1};  // what a cell must have to be worth a look
  std::mutex mutex;
  const auto work = [&](unsigned char* workspace) {
    for (std::size_t r = 0, c = 0; wavefront.take(r, c);) {
      wavefront.wait(r, c);
      const std::size_t row = r * shape.rows, column = c * shape.columns;
      Tile tile{};
      tile.query = query_.data() + part.row + row;
      tile.rows = std::min(shape.rows, part.rows - row);
      tile.subject = subject_.data() + part.column + column;
      tile.columns = std::min(shape.columns, part.columns - column);
      tile.top_h = borders.top_h.data() + column;
      tile.top_f = borders.top_f.data() + column;
      tile.left_h = borders.left_h.data() + row;
      tile.left_e = borders.left_e.data() + row;
      tile.corner = corners[r];
      tile.threshold = watch ? 1 : reached.load(std::memory_order_relaxed);
      tile.workspace = workspace;
      corners[r] = tile.top_h[tile.columns - 1];
      if (grid && grid->on_row_line(part.row + row)) grid->keep_top(tile, part.row + row, part.column + column);
      if (grid && grid->on_column_line(part.column + column))
        grid->keep_left(tile, part.row + row, part.column + column);
      score(tile);
      if (watch) watch(tile, part.row + row, part.column + column);
      wavefront.finish(c);
      if (control_.cells)
        control_.cells->fetch_add(static_cast<std::int64_t>(tile.rows * tile.columns), std::memory_order_relaxed);
      if (tile.best == 0) continue;
      const EndPoint found{tile.best, static_cast<std::int32_t>(part.row + row + tile.best_row + 1),
                           static_cast<std::int32_t>(part.column + column + tile.best_column + 1)};
      const std::lock_guard lock(mutex);
      if (found.score > best.score || (found.score == best.score && std::pair(found.query_end, found.subject_end) <
                                                                        std::pair(best.query_end, best.subject_end)))
        best = found;
      reached.store(best.score, std::memory_order_relaxed);
    }
  };
  if (threads == 1) {
    work(workspaces[0].data());
  } else {
#pragma omp parallel num_threads(threads)
    work(workspaces[static_cast<std::size_t>(thread_index())].data());
  }
  if (wavefront.stopped()) throw Stopped();
  return best;
}

void PairTable::score(Tile& tile) const {
  tile.query_symbols = query_symbols_.data();
  tile.query_symbol_count = static_cast<int>(query_symbols_.size());
  tile.scores = scores_;
  tile.gap_first = gap_first_;
  tile.gap_next = gap_next_;
  tile.highest = highest_;
  std::int32_t lowest = tile.corner, highest = tile.corner;
  for (const auto& [border, length] : {std::pair{tile.top_h, tile.columns}, std::pair{tile.left_h, tile.rows}})
    for (std::size_t k = 0; k < length; ++k) {
      lowest = std::min(lowest, border[k]);
      highest = std::max(highest, border[k]);
    }
  // A cell is at least what a gap to it from the border leaves, straight down or straight on.
  const auto shorter = static_cast<std::int64_t>(std::min(tile.rows, tile.columns));
  const std::int64_t base = std::int64_t{lowest} - 2 * std::int64_t{gap_first_} - shorter * gap_next_;
  tile.base = static_cast<std::int32_t>(std::max<std::int64_t>(base, 0));
  const TileKernels& kernels = tile.columns < columns_worth_avx512 ? *narrow_kernels_ : *kernels_;
  for (const TileKernel* kernel : {&kernels.bits8, &kernels.bits16})
    if (gap_first_ <= kernel->max_gap_first && std::int64_t{highest} - tile.base <= kernel->range - highest_ &&
        kernel->score(tile))
      return;
  tile.base = 0;
  kernels.bits32.score(tile);
}

}  // namespace speedwell::alignment

// Kernel 1 in tiles: tile (s, b) of strip s of rows and block b of columns needs the last row of (s - 1, b) and the
// last column of (s, b - 1), so that all tiles with the same s + b are computed concurrently. The results do not depend
// on the shape of the tiles.
#include <algorithm>
#include <vector>

#include "speedwell/apps/ssca1/cpu/kernel1_table.hpp"
#include "speedwell/apps/ssca1/cpu/kernels.hpp"
#include "speedwell/apps/ssca1/cpu/parallel.hpp"
#include "speedwell/core/host_buffer.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace speedwell::ssca1 {
namespace {

constexpr std::int64_t block_columns = 2048;
constexpr std::int64_t chunk_columns = std::int64_t{1} << 18;  // columns whose borders are stored at a time

/// Enough strips for all threads, of 64 to 256 rows: the overhead of shorter diagonals is larger.
std::int64_t strip_rows(std::int64_t rows, int threads) {
  const std::int64_t even = (rows + threads - 1) / threads;
  return std::clamp<std::int64_t>((even + 15) / 16 * 16, 64, 256);
}

/// Memory of a thread for its tiles.
struct Workspace {
  const TableProblem& table;
  core::HostBuffer<std::int32_t> lines;
  Candidates found;
  std::int64_t row = 0, column = 0;  // of the tile

  Workspace(const TableProblem& problem, std::int64_t rows)
      : table(problem), lines(static_cast<std::size_t>(7 * (rows + 1))), found(problem.rules, problem.owned) {}

  std::int32_t look(std::int32_t diagonal, std::int32_t first, std::int32_t last, const std::int32_t* h,
                    const std::int32_t* h_before) {
    for (std::int32_t r = first; r <= last; ++r)
      table.look_at(row + r, column + diagonal - r, h[r], h_before[r], found);
    return found.threshold();
  }
};

class Chunk {
 public:
  Chunk(const TableProblem& table, std::int64_t first, std::int64_t last, std::int64_t strip, ColumnState& state,
        const Kernels& kernel)
      : table_(table),
        first_(first),
        last_(last),
        strip_(strip),
        state_(state),
        kernel_(kernel),
        h_top_(static_cast<std::size_t>(last - first), 0),
        f_top_(h_top_.size(), 0),
        reversed_(table.main.rbegin() + static_cast<std::ptrdiff_t>(table.columns() - last),
                  table.main.rbegin() + static_cast<std::ptrdiff_t>(table.columns() - first)) {
    for (std::int64_t s = 0; s < strips(); ++s)
      corners_.push_back(s == 0 ? 0 : state.h[static_cast<std::size_t>(s * strip - 1)]);
  }
  std::int64_t strips() const { return (table_.rows() + strip_ - 1) / strip_; }
  std::int64_t blocks() const { return (last_ - first_ + block_columns - 1) / block_columns; }

  void tile(std::int64_t s, std::int64_t b, Workspace& work) {
    const std::int64_t row = s * strip_, rows = std::min(strip_, table_.rows() - row);
    const std::int64_t column = b * block_columns, columns = std::min(block_columns, last_ - first_ - column);
    std::int32_t *h = state_.h.data() + row, *e = state_.e.data() + row;
    std::int32_t *top_h = h_top_.data() + column, *top_f = f_top_.data() + column;
    const std::int32_t corner = corners_[static_cast<std::size_t>(s)];
    corners_[static_cast<std::size_t>(s)] = top_h[columns - 1];
    work.row = row;
    work.column = first_ + column;
    kernel_.tile({.match = table_.match.data() + row,
                  .main_reversed = reversed_.data() + (last_ - first_ - column - columns),
                  .rows = static_cast<std::int32_t>(rows),
                  .columns = static_cast<std::int32_t>(columns),
                  .scores = table_.scoring.scores().data(),
                  .symbols = table_.scoring.symbols(),
                  .gap_open = table_.scoring.gap_open(),
                  .gap_extend = table_.scoring.gap_extend(),
                  .h_left = h,
                  .e_left = e,
                  .h_top = top_h,
                  .f_top = top_f,
                  .corner = corner,
                  .workspace = work.lines.data(),
                  .threshold = work.found.threshold(),
                  .found =
                      [](void* context, std::int32_t diagonal, std::int32_t first, std::int32_t last,
                         const std::int32_t* values, const std::int32_t* before) {
                        return static_cast<Workspace*>(context)->look(diagonal, first, last, values, before);
                      },
                  .context = &work});
  }

 private:
  const TableProblem& table_;
  std::int64_t first_, last_, strip_;
  ColumnState& state_;
  const Kernels& kernel_;
  std::vector<std::int32_t> h_top_, f_top_, corners_;
  std::vector<std::uint8_t> reversed_;
};

}  // namespace

void sweep_tiles(const TableProblem& table, std::int64_t first, std::int64_t last, ColumnState& state,
                 Candidates& found, const Options& options) {
  const Kernels& kernel = kernels(options.isa);
  const int threads = core::resolve_threads(options.threads);
  if (table.rows() == 0) return;
  const std::int64_t strip = strip_rows(table.rows(), threads);
  std::vector<Workspace> work;
  for (int t = 0; t < threads; ++t) work.emplace_back(table, strip);
  for (std::int64_t c = first; c < last; c += chunk_columns) {
    Chunk chunk(table, c, std::min(last, c + chunk_columns), strip, state, kernel);
    const std::int64_t strips = chunk.strips(), blocks = chunk.blocks();
    for (std::int64_t wave = 0; wave < strips + blocks - 1; ++wave) {
      const std::int64_t first_strip = std::max<std::int64_t>(0, wave - blocks + 1);
      const std::int64_t count = std::min(strips - 1, wave) - first_strip + 1;
      for_each_item(count, threads, [&](std::int64_t k) {
#ifdef _OPENMP
        Workspace& mine = work[static_cast<std::size_t>(omp_get_thread_num())];
#else
        Workspace& mine = work[0];
#endif
        chunk.tile(first_strip + k, wave - first_strip - k, mine);
      });
    }
  }
  for (const Workspace& w : work) found.add(w.found);
}

Endpoints tiled_table(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                      const Options& options) {
  require_valid(main, match, scoring, rules);
  const TableProblem table{main, match, scoring, rules};
  ColumnState state(table.rows());
  Candidates found(rules);
  sweep_tiles(table, 0, table.columns(), state, found, options);
  return found.finish();
}

}  // namespace speedwell::ssca1

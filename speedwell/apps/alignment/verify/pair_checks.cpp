#include "speedwell/apps/alignment/verify/pair_checks.hpp"

#include <algorithm>
#include <mutex>

#include "speedwell/apps/alignment/cpu/pair_tiles.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_problem.hpp"

namespace speedwell::alignment {

PairChecks::PairChecks(std::int64_t query, std::int64_t subject, int rows)
    : query_length(query), subject_length(subject), strip_rows(rows) {
  sums.assign(static_cast<std::size_t>(bands() * blocks()), 0);
  maximum.assign(sums.size(), 0);
  first_pruned.assign(static_cast<std::size_t>(bands()), INT64_MAX);
}

std::int64_t PairChecks::blocks() { return check_blocks; }

namespace {
std::size_t index_of_chunk(const PairChecks& checks, std::int64_t band, std::int64_t chunk) {
  const std::int64_t chunks = band_chunks(checks.subject_length);
  return static_cast<std::size_t>(band * check_blocks +
                                  BandChecks::block_of(chunk, chunks, chunks_of_check_block(chunks)));
}
}  // namespace

std::size_t PairChecks::index_of(std::int64_t row, std::int64_t column) const {
  const std::int64_t strip = row % band_rows() / strip_rows;  // each is two columns behind the one above
  return index_of_chunk(*this, row / band_rows(), (column + 2 * strip) / chunk_columns);
}

std::size_t PairChecks::index_of_last_row(std::int64_t band, std::int64_t column) const {
  return index_of_chunk(*this, band, (column + band_lag) / chunk_columns);
}

ExpectedChecks expected_checks(Codes query, Codes subject, const Scoring& scoring, const PairChecks& of, int threads) {
  ExpectedChecks expected{
      .end = {}, .checks = PairChecks(of.query_length, of.subject_length, of.strip_rows), .cells = {}};
  PairChecks& checks = expected.checks;
  const PairTable table(query, subject, scoring, {.threads = threads});
  const Rectangle whole{0, 0, query.size(), subject.size()};
  Borders borders = Borders::of_table(whole.rows, whole.columns);
  const TileShape shape{static_cast<std::size_t>(of.band_rows()), table.usual_shape(whole).columns};
  std::mutex mutex;  // of expected.cells; tiles of a band come one after another
  expected.end =
      table.sweep(whole, borders, shape, nullptr, [&](const Tile& tile, std::size_t row, std::size_t column) {
        const auto first_row = static_cast<std::int64_t>(row), first_column = static_cast<std::int64_t>(column);
        const std::int64_t band = first_row / of.band_rows();
        if (first_row + of.band_rows() <= of.query_length)
          for (std::size_t k = 0; k < tile.columns; ++k) {
            const std::int64_t at = first_column + static_cast<std::int64_t>(k);
            checks.sums[checks.index_of_last_row(band, at)] += border_hash(at, tile.top_h[k], tile.top_f[k]);
          }
        if (tile.best == 0) return;
        // The tile's cells are in the blocks from that of its first cell to that of its last column's last row.
        const std::int64_t last_column = first_column + static_cast<std::int64_t>(tile.columns) - 1;
        for (std::size_t at = checks.index_of(first_row, first_column);
             at <= checks.index_of_last_row(band, last_column); ++at)
          checks.maximum[at] = std::max(checks.maximum[at], tile.best);
        const std::lock_guard lock(mutex);
        expected.cells.push_back({first_row + static_cast<std::int64_t>(tile.best_row),
                                  first_column + static_cast<std::int64_t>(tile.best_column), tile.best});
      });
  return expected;
}

std::size_t wrong_checks(const ExpectedChecks& expected, const PairChecks& got, const Scoring& scoring,
                         std::size_t* passed_over) {
  const PairChecks& checks = expected.checks;
  if (got.query_length != checks.query_length || got.subject_length != checks.subject_length ||
      got.strip_rows != checks.strip_rows || got.sums.size() != checks.sums.size() ||
      got.maximum.size() != checks.maximum.size() || got.first_pruned.size() != checks.first_pruned.size())
    return std::max<std::size_t>(checks.sums.size(), 1);

  // Blocks are exact unless a pruned chunk is above them or to their left: the values of those depend on it.
  const std::int64_t chunks = band_chunks(checks.subject_length);
  std::vector<bool> exact(checks.sums.size()), wrong(checks.sums.size());
  std::int64_t pruned = INT64_MAX;
  for (std::int64_t band = 0; band < checks.bands(); ++band) {
    pruned = std::min(pruned, std::max<std::int64_t>(got.first_pruned[static_cast<std::size_t>(band)], 0));
    const std::size_t begin = static_cast<std::size_t>(band * check_blocks);
    // A band's columns are up to band_lag behind those of the band above with the same chunk number.
    const std::int64_t from = pruned - (pruned == INT64_MAX ? 0 : band_lag / chunk_columns + 1);
    const std::int64_t first_reached =
        from >= chunks ? check_blocks
                       : BandChecks::block_of(std::max<std::int64_t>(from, 0), chunks, chunks_of_check_block(chunks));
    for (std::int64_t block = 0; block < check_blocks; ++block) {
      const std::size_t at = begin + static_cast<std::size_t>(block);
      exact[at] = block < first_reached;
      if (passed_over && !exact[at]) ++*passed_over;
      if (expected.whole && exact[at] && (band + 1) * checks.band_rows() <= checks.query_length)
        wrong[at] = got.sums[at] != checks.sums[at];
      if (got.maximum[at] < 0 || (expected.whole && got.maximum[at] > checks.maximum[at])) wrong[at] = true;
    }
  }
  const std::int64_t slack = std::int64_t{scoring.gap_open} + (sampled_rows - 1) * std::int64_t{scoring.gap_extend};
  for (const KnownCell& cell : expected.cells) {
    const std::size_t at = checks.index_of(cell.row, cell.column);
    if (exact[at] && got.maximum[at] < cell.score - slack) wrong[at] = true;
  }
  return static_cast<std::size_t>(std::count(wrong.begin(), wrong.end(), true));
}

}  // namespace speedwell::alignment

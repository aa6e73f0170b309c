// One pair: the best cell by a sweep over the tiles of its table, and the traceback from it. The sweep keeps borders
// along the lines of a grid; the part where the path is is swept again from its borders with a finer grid, until the
// directions of a part fit a small table (FastLSA: Driga et al., Algorithmica 45 (2006) 337). So memory stays bounded
// and the path does not depend on the bound.
#include <algorithm>
#include <cmath>
#include <limits>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/cpu/pair_tiles.hpp"
#include "speedwell/apps/alignment/trace.hpp"

namespace speedwell::alignment {
namespace {

// A direction: where H of a cell comes from, and whether the gaps that leave it have come through it. A gap that could
// as well begin here has come through.
constexpr std::uint8_t from_diagonal = 1, from_e = 2, from_f = 3, source = 3;  // of H; 0: H is 0
constexpr std::uint8_t e_goes_on = 4, f_goes_on = 8;

/// Directions of all cells of a part, row-major.
std::vector<std::uint8_t> directions(const PairTable& table, const Rectangle& part, Borders& borders) {
  std::vector<std::uint8_t> all(part.rows * part.columns);
  const std::int32_t first = table.gap_first(), next = table.gap_next();
  const std::uint8_t* const subject = table.subject().data() + part.column;
  std::int32_t* const above_h = borders.top_h.data();
  std::int32_t* const above_f = borders.top_f.data();
  std::int32_t corner = borders.corner;
  for (std::size_t i = 0; i < part.rows; ++i) {
    const std::int8_t* const scores = table.scores() + table.query()[part.row + i] * code_limit;
    std::uint8_t* const out = all.data() + i * part.columns;
    std::int32_t diagonal = corner, e = borders.left_e[i];
    corner = borders.left_h[i];
    for (std::size_t j = 0; j < part.columns; ++j) {
      const std::int32_t f = above_f[j], paired = diagonal + scores[subject[j]];
      diagonal = above_h[j];
      const std::int32_t h = std::max({paired, e, f, 0});
      const std::int32_t opened = std::max(h - first, 0), e_longer = e - next, f_longer = f - next;
      const int of_h = h == 0 ? 0 : h == paired ? from_diagonal : h == e ? from_e : from_f;
      out[j] =
          static_cast<std::uint8_t>(of_h | (e_longer >= opened ? e_goes_on : 0) | (f_longer >= opened ? f_goes_on : 0));
      above_h[j] = h;
      above_f[j] = std::max(f_longer, opened);
      e = std::max(e_longer, opened);
    }
  }
  return all;
}

/// The traceback from a cell; runs of the CIGAR are collected from the end.
class Traceback {
 public:
  Traceback(const PairTable& table, std::size_t table_bytes)
      : table_(table),
        table_bytes_(table_bytes),
        // The minimum with which there are tiles, and the maximum that pays: a path goes through half of a part on
        // average, and cells of the sweep take a twentieth of the time of directions.
        max_directions_(std::clamp<std::size_t>(table_bytes, 1024, 256 * 256)) {}

  /// Finds the last cell and traces back from it.
  EndPoint run() {
    const Rectangle whole{0, 0, table_.query().size(), table_.subject().size()};
    Borders borders = Borders::of_table(whole.rows, whole.columns);
    EndPoint end;
    if (fits(whole)) {
      end = table_.sweep(whole, borders, table_.usual_shape(whole));
      start_from(end);
      if (end.score == 0) return end;
      follow({0, 0, i_, j_}, Borders::of_table(i_, j_));
    } else {
      const TileShape shape = tiles_of(whole);
      Grid grid = grid_for(whole, borders, shape);
      end = table_.sweep(whole, borders, shape, &grid);
      start_from(end);
      if (end.score == 0) return end;
      follow(whole, grid);
    }
    return end;
  }

  trace::Cell begin() const { return {static_cast<std::int64_t>(i_), static_cast<std::int64_t>(j_)}; }
  /// The runs in the order of the traceback: the last one first.
  std::vector<CigarRun> cigar() && { return std::move(cigar_); }

 private:
  enum class State { h, e, f, done };  // e, f: in a gap that has just been taken to this cell

  void start_from(const EndPoint& end) {
    i_ = static_cast<std::size_t>(end.query_end);
    j_ = static_cast<std::size_t>(end.subject_end);
  }
  bool fits(const Rectangle& part) const { return part.rows <= max_directions_ / part.columns; }
  bool inside(const Rectangle& part) const { return in_ != State::done && i_ > part.row && j_ > part.column; }

  /// Large tiles for a large part; for one of some of those, tiles whose directions fit.
  TileShape tiles_of(const Rectangle& part) const {
    constexpr std::size_t some = 16;
    if (part.rows / some >= max_directions_ / part.columns + 1) {
      const TileShape usual = table_.usual_shape(part);
      if (usual.rows < part.rows || usual.columns < part.columns) return usual;
    }
    const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(max_directions_)));
    const std::size_t columns = std::max(side / tile_columns_multiple, std::size_t{1}) * tile_columns_multiple;
    return {std::max<std::size_t>(max_directions_ / columns, 1), columns};
  }

  /// Lines as close as table_bytes_ allows, but two at least across the part or along it.
  Grid grid_for(const Rectangle& part, const Borders& borders, TileShape shape) const {
    std::size_t rows = shape.rows, columns = shape.columns;
    while (Grid::bytes(part, rows, columns) > static_cast<double>(table_bytes_) &&
           (2 * rows < part.rows || 2 * columns < part.columns)) {
      if (2 * rows < part.rows) rows *= 2;
      if (2 * columns < part.columns) columns *= 2;
    }
    return Grid(part, borders, rows, columns);
  }

  /// Traces back from (i_, j_), the last cell of `part`, until the path leaves it or begins.
  void follow(const Rectangle& part, Borders borders) {
    if (fits(part)) {
      follow_in_table(part, directions(table_, part, borders));
      return;
    }
    const TileShape shape = tiles_of(part);
    Grid grid = grid_for(part, borders, shape);
    table_.sweep(part, borders, shape, &grid);
    follow(part, grid);
  }

  void follow(const Rectangle& part, const Grid& grid) {
    while (inside(part)) {
      const Rectangle last = grid.part_before(i_ - 1, j_ - 1);
      follow(last, grid.borders_of(last));
    }
  }

  void follow_in_table(const Rectangle& part, const std::vector<std::uint8_t>& table) {
    while (inside(part)) {
      const std::uint8_t cell = table[(i_ - 1 - part.row) * part.columns + (j_ - 1 - part.column)];
      if ((in_ == State::e && !(cell & e_goes_on)) || (in_ == State::f && !(cell & f_goes_on))) in_ = State::h;
      if (in_ == State::h) {
        switch (cell & source) {
          case from_diagonal:
            add(table_.query()[i_ - 1] == table_.subject()[j_ - 1] ? '=' : 'X');
            --i_;
            --j_;
            continue;
          case from_e:
            in_ = State::e;
            break;
          case from_f:
            in_ = State::f;
            break;
          default:
            in_ = State::done;
            return;
        }
      }
      add(in_ == State::e ? 'D' : 'I');
      --(in_ == State::e ? j_ : i_);
    }
    if (i_ == 0 || j_ == 0) in_ = State::done;
  }

  void add(char operation) { trace::add(cigar_, operation); }

  const PairTable& table_;
  std::size_t table_bytes_, max_directions_;
  std::size_t i_ = 0, j_ = 0;
  State in_ = State::h;
  std::vector<CigarRun> cigar_;
};

void count_columns(Codes query, Codes subject, const SubstitutionMatrix& matrix, Alignment& alignment) {
  auto i = static_cast<std::size_t>(alignment.query_begin) - 1,
       j = static_cast<std::size_t>(alignment.subject_begin) - 1;
  for (const auto& [operation, count] : alignment.cigar) {
    alignment.columns += count;
    const auto length = static_cast<std::size_t>(count);
    if (operation == 'I' || operation == 'D') {
      ++alignment.gap_opens;
      (operation == 'I' ? i : j) += length;
      continue;
    }
    (operation == '=' ? alignment.identities : alignment.mismatches) += count;
    for (std::size_t k = 0; k < length; ++k) alignment.positives += matrix.score(query[i + k], subject[j + k]) > 0;
    i += length;
    j += length;
  }
}

}  // namespace

namespace trace {

Alignment finish(Codes query, Codes subject, const Scoring& scoring, const EndPoint& end, const Cell& begin,
                 std::vector<CigarRun> cigar) {
  std::reverse(cigar.begin(), cigar.end());
  Alignment alignment;
  alignment.score = end.score;
  alignment.query_begin = static_cast<std::int32_t>(begin.i + 1);
  alignment.query_end = end.query_end;
  alignment.subject_begin = static_cast<std::int32_t>(begin.j + 1);
  alignment.subject_end = end.subject_end;
  alignment.cigar = std::move(cigar);
  count_columns(query, subject, scoring.matrix, alignment);
  return alignment;
}

}  // namespace trace

EndPoint find_end(Codes query, Codes subject, const Scoring& scoring, const SearchOptions& options) {
  require_exact(scoring, scoring.matrix.alphabet(), scoring.matrix.alphabet(), query.size(), subject.size());
  const PairTable table(query, subject, scoring, options);
  const Rectangle whole{0, 0, query.size(), subject.size()};
  Borders borders = Borders::of_table(whole.rows, whole.columns);
  return table.sweep(whole, borders, table.usual_shape(whole));
}

Alignment align(Codes query, Codes subject, const Scoring& scoring, const AlignOptions& options) {
  require_exact(scoring, scoring.matrix.alphabet(), scoring.matrix.alphabet(), query.size(), subject.size());
  if (query.empty() || subject.empty()) return {};
  const PairTable table(query, subject, scoring,
                        {.threads = options.threads, .isa = options.isa, .control = {.stop = options.stop}});
  Traceback traceback(table, options.table_bytes);
  const EndPoint end = traceback.run();
  if (end.score == 0) return {};
  const trace::Cell begin = traceback.begin();
  return trace::finish(query, subject, scoring, end, begin, std::move(traceback).cigar());
}

}  // namespace speedwell::alignment

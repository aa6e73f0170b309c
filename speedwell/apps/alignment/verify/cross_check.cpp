#include "speedwell/apps/alignment/verify/cross_check.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <mutex>

#include "speedwell/apps/alignment/verify/cross_check_kernel.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/simd/isa_choice.hpp"

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace speedwell::alignment::cross_check {
namespace {

int all_threads(int wanted) {
#if defined(_OPENMP)
  return wanted > 0 ? wanted : omp_get_max_threads();
#else
  return wanted > 0 ? wanted : 1;
#endif
}

const QueueKernels& kernels() { return SPEEDWELL_OF_ISA(core::best_isa(), queue_kernels); }

std::int64_t max_score_of_pair(const Scoring& scoring, std::size_t a, std::size_t b) {
  return std::int64_t{std::max(0, scoring.matrix.highest())} * static_cast<std::int64_t>(std::min(a, b));
}

/// The costs of a gap of one residue and of each further one, where no score exceeds `maximum`: a gap that costs more
/// than any score is never taken, whatever more it costs.
struct GapCosts {
  std::int64_t first, next;
};
GapCosts gap_costs(const Scoring& scoring, std::int64_t maximum) {
  return {std::min(std::int64_t{scoring.gap_open} + scoring.gap_extend, maximum + 1),
          std::min(std::int64_t{scoring.gap_extend}, maximum + 1)};
}

template <class Cell>
bool holds(const Scoring& scoring, std::int64_t maximum) {
  // E and F are no lower than -first, and next is taken from them once more.
  const GapCosts costs = gap_costs(scoring, maximum);
  return std::max(maximum, costs.first + costs.next) <= std::numeric_limits<Cell>::max();
}

/// One row sequence against columns first … last - 1.
class Search {
 public:
  Search(const SequenceSet& rows, const SequenceSet& columns, const Scoring& scoring)
      : rows_(rows), columns_(columns), scoring_(scoring) {}

  /// Calls put(column, score).
  template <class Put>
  void score(std::size_t row, std::size_t first, std::size_t last, const Put& put) const {
    std::vector<std::size_t> narrow, wide;
    std::int64_t narrow_max = 0, wide_max = 0;
    for (std::size_t c = first; c < last; ++c) {
      const std::int64_t maximum = max_score_of_pair(scoring_, rows_.length(row), columns_.length(c));
      const bool fits = holds<std::int16_t>(scoring_, maximum);
      (fits ? narrow : wide).push_back(c);
      (fits ? narrow_max : wide_max) = std::max(fits ? narrow_max : wide_max, maximum);
    }
    run(kernels().in_16_bits, row, narrow, narrow_max, put);
    run(kernels().in_32_bits, row, wide, wide_max, put);
  }

 private:
  template <class Put>
  void run(void (*kernel)(const LaneQueue&), std::size_t row, const std::vector<std::size_t>& which,
           std::int64_t maximum, const Put& put) const {
    if (which.empty()) return;
    const Codes residues = rows_.codes(row);
    bool seen[code_limit] = {};
    for (const std::uint8_t code : residues) seen[code] = true;
    std::vector<std::uint8_t> different;
    for (int code = 0; code < code_limit; ++code)
      if (seen[code]) different.push_back(static_cast<std::uint8_t>(code));
    std::vector<const std::uint8_t*> columns;
    std::vector<std::size_t> counts;
    for (const std::size_t c : which) {
      columns.push_back(columns_.codes(c).data());
      counts.push_back(columns_.length(c));
    }
    std::vector<std::int32_t> results(which.size());
    core::HostBuffer<unsigned char> state(std::max<std::size_t>(2 * residues.size(), 1) * vector_bytes);
    const GapCosts costs = gap_costs(scoring_, maximum);
    kernel({.rows = residues.data(),
            .row_count = residues.size(),
            .row_symbols = different.data(),
            .row_symbol_count = static_cast<int>(different.size()),
            .columns = columns.data(),
            .column_counts = counts.data(),
            .queued = which.size(),
            .scores = scoring_.matrix.data(),
            .gap_first = static_cast<std::int32_t>(costs.first),
            .gap_next = static_cast<std::int32_t>(costs.next),
            .state = state.data(),
            .results = results.data()});
    for (std::size_t k = 0; k < which.size(); ++k) put(which[k], results[k]);
  }

  const SequenceSet& rows_;
  const SequenceSet& columns_;
  const Scoring& scoring_;
};

}  // namespace

std::vector<std::int32_t> search_scores(const SequenceSet& queries, const SequenceSet& subjects, const Scoring& scoring,
                                        int threads) {
  require_exact(scoring, queries.alphabet(), subjects.alphabet(), queries.longest(), subjects.longest());
  std::vector<std::int32_t> scores(queries.size() * subjects.size(), 0);
  // Lanes are filled from the larger set. A matrix is symmetric, and so is the recurrence, but for E and F, which
  // are exchanged.
  const bool swapped = queries.size() > subjects.size();
  const SequenceSet &rows = swapped ? subjects : queries, &columns = swapped ? queries : subjects;
  const Search search(rows, columns, scoring);
  constexpr std::size_t part = 2048;  // 64 to a lane of 16 bits, so that few wait for the last
  const std::size_t parts = (columns.size() + part - 1) / part;
  const auto jobs = static_cast<std::int64_t>(rows.size() * parts);
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic, 1) num_threads(all_threads(threads))
  for (std::int64_t job = 0; job < jobs; ++job) {
    try {
      const std::size_t row = static_cast<std::size_t>(job) / parts,
                        first = static_cast<std::size_t>(job) % parts * part;
      search.score(row, first, std::min(columns.size(), first + part), [&](std::size_t column, std::int32_t score) {
        scores[swapped ? column * subjects.size() + row : row * subjects.size() + column] = score;
      });
    } catch (...) {
#pragma omp critical
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  return scores;
}

EndPoint find_end(Codes query, Codes subject, const Scoring& scoring, int threads) {
  require_exact(scoring, scoring.matrix.alphabet(), scoring.matrix.alphabet(), query.size(), subject.size());
  const GapCosts costs = gap_costs(scoring, max_score_of_pair(scoring, query.size(), subject.size()));
  const std::int64_t first = costs.first, next = costs.next;
  // H and F of the last row of the tiles above, H and E of the last column of the tiles to the left, and H of the cell
  // before both, of each row of tiles.
  constexpr std::size_t side = 4096;
  const std::size_t tile_rows = (query.size() + side - 1) / side, tile_columns = (subject.size() + side - 1) / side;
  std::vector<std::int64_t> h_above(subject.size(), 0), f_above(subject.size(), 0), h_left(query.size(), 0),
      e_left(query.size(), 0), corner(tile_rows, 0);
  EndPoint best;
  std::mutex mutex;
  const auto sweep = [&](std::size_t tile_row, std::size_t tile_column) {
    const std::size_t i0 = tile_row * side, i1 = std::min(query.size(), i0 + side);
    const std::size_t j0 = tile_column * side, j1 = std::min(subject.size(), j0 + side);
    std::int64_t before = corner[tile_row];
    corner[tile_row] = h_above[j1 - 1];
    std::int64_t score = 0;
    EndPoint found;
    for (std::size_t i = i0; i < i1; ++i) {
      const std::int8_t* const scores = scoring.matrix.data() + query[i] * code_limit;
      std::int64_t diagonal = before, h = h_left[i], e = e_left[i];
      before = h;
      for (std::size_t j = j0; j < j1; ++j) {
        const std::int64_t above = h_above[j];
        e = std::max(h - first, e - next);
        f_above[j] = std::max(above - first, f_above[j] - next);
        h = std::max({std::int64_t{0}, diagonal + scores[subject[j]], e, f_above[j]});
        h_above[j] = h;
        diagonal = above;
        if (h > score) {
          score = h;
          found = {static_cast<std::int32_t>(h), static_cast<std::int32_t>(i + 1), static_cast<std::int32_t>(j + 1)};
        }
      }
      h_left[i] = h;
      e_left[i] = e;
    }
    const std::lock_guard lock(mutex);
    if (found.score > best.score ||
        (found.score == best.score && found.score > 0 &&
         std::pair(found.query_end, found.subject_end) < std::pair(best.query_end, best.subject_end)))
      best = found;
  };
  if (tile_rows == 0 || tile_columns == 0) return best;
  for (std::size_t diagonal = 0; diagonal < tile_rows + tile_columns - 1; ++diagonal) {
    const auto from = static_cast<std::int64_t>(diagonal < tile_columns ? 0 : diagonal - tile_columns + 1);
    const auto to = static_cast<std::int64_t>(std::min(diagonal + 1, tile_rows));
#pragma omp parallel for schedule(dynamic, 1) num_threads(all_threads(threads))
    for (std::int64_t r = from; r < to; ++r) sweep(static_cast<std::size_t>(r), diagonal - static_cast<std::size_t>(r));
  }
  return best;
}

}  // namespace speedwell::alignment::cross_check

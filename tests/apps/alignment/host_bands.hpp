// GpuPair's sweep and path on the host, band after band: the templates of the kernel with HostWarp for the warp and, for
// the flags between bands, checks that what a band waits for is there.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "speedwell/apps/alignment/band.hpp"
#include "speedwell/apps/alignment/band_plan.hpp"
#include "speedwell/apps/alignment/segments.hpp"
#include "speedwell/apps/alignment/warp.hpp"

namespace speedwell::alignment::test {

using Letters = std::vector<std::uint8_t>;

/// Bands one after another: what a band waits for must be there.
struct HostLinks {
  std::int64_t finished_bands = 0, chunks = 0;
  std::int64_t known = 0, known_band = 0;
  int located = 0;
  Crossings crossings;
  std::int64_t done = 0, dead = 0;  // chunks of the band, dead chunks

  void wait(std::int64_t band, std::int64_t wanted) {
    EXPECT_LT(band, finished_bands);
    EXPECT_LE(wanted, chunks);
  }
  void publish(std::int64_t, std::int64_t chunk) {
    if (chunk > done + 1) dead += chunk - done - 1;  // passed in one go
    done = chunk < chunks ? chunk : 0;
  }
  std::int64_t ready() const { return chunks; }
  void refresh() {}
  std::int64_t known_score() const { return known; }
  void crossing(std::int64_t k, std::int64_t j, std::uint32_t kinds) {
    const auto at = static_cast<std::size_t>(k);
    const auto column = static_cast<std::int32_t>(j);
    crossings.low[at] = std::min(crossings.low[at], column);
    crossings.high[at] = std::max(crossings.high[at], column);
    crossings.kinds[at] |= kinds;
  }
  void begin(std::int64_t s, std::int64_t j) {
    std::int32_t& begin = crossings.begin[static_cast<std::size_t>(s)];
    if (begin < 0 || j < begin) begin = static_cast<std::int32_t>(j);
  }
  bool may_win(std::int64_t score, std::int64_t band) const {
    return score > known || (score == known && band <= known_band);
  }
  void found(std::int64_t score, std::int64_t band) {
    ++located;
    if (score > known) known = score, known_band = band;
  }
};

struct Result {
  BandBest best;
  int located = 0;
  std::int64_t dead = 0;
};

struct Options {
  std::int64_t known = -1;  // a score that the pair is known to have; dead chunks are looked for if it is not negative
  SpecialRows special{};
  Mirror mirror{};
  std::size_t padding = 0;  // rows before the query
  Crossings* crossings = nullptr;
};

template <class Scores, int R>
Result sweep_pair(const Letters& query, const Letters& subject, const Scoring& scoring, Window window,
                  const Options& options = {}) {
  const LetterClasses classes = classify(query, subject, scoring.matrix);
  const int k = classes.count;
  std::vector<std::uint32_t> table(static_cast<std::size_t>(Scores::entries(k)) * 32);
  for (int thread = 0; thread < 3; ++thread) 
    fill_table<Scores>(table.data(), classes.scores.data(), k, scoring.gap_open + scoring.gap_extend, thread, 3);
  Letters rows(options.padding, static_cast<std::uint8_t>(k - 1));
  for (const std::uint8_t code : query) rows.push_back(classes.of_code[code]);
  const auto n = static_cast<std::int64_t>(subject.size());
  const std::int64_t chunks = band_chunks(n);
  const auto letter = [&](std::int64_t j) {
    return j >= 0 && j < n ? classes.of_code[subject[static_cast<std::size_t>(j)]] : k - 1;
  };
  std::vector<std::uint16_t> columns;
  for (std::int64_t j = -columns_before; j < chunks * chunk_columns + columns_after; ++j)
    columns.push_back(Scores::column_entry(letter(j), letter(j - 2), k));
  std::vector<std::uint32_t> border(static_cast<std::size_t>(chunks * chunk_columns), 0xdeadbeefu);
  std::vector<std::int32_t> border_base(static_cast<std::size_t>(chunks + 2), 0x7f7f7f7f);
  const BandProblem problem{.query = rows.data(),
                            .columns = columns.data() + columns_before,
                            .query_length = static_cast<std::int64_t>(rows.size()),
                            .subject_length = n,
                            .chunks = chunks,
                            .classes = k,
                            .constants = Pair16::constants(scoring.gap_open, scoring.gap_extend),
                            .window = window,
                            .prune = options.known >= 0,
                            .highest = classes.highest,
                            .special = options.special,
                            .mirror = options.mirror,
                            .border = border.data(),
                            .border_base = border_base.data()};
  HostWarp warp;
  HostLinks links;
  links.chunks = chunks;
  if (options.crossings) links.crossings = *options.crossings;
  if (options.known > 0) links.known = options.known, links.known_band = INT64_MAX;
  const auto memory = std::make_unique<BandMemory<R>>();
  std::vector<std::uint32_t> aside(BandMemory<R>::aside_words);
  Result result;
  const std::int64_t bands = (problem.query_length + 64 * R - 1) / (64 * R);
  const auto sweep = [&]<bool mirrored>() {
    for (std::int64_t b = 0; b < bands; ++b) {
      const auto band = std::make_unique<Band<Scores, R, mirrored, HostWarp, HostLinks>>(
          warp, problem, b, *memory, reinterpret_cast<const char*>(table.data()), links, aside.data());
      const BandBest best = band->sweep();
      if (best.score > result.best.score) result.best = best;
      links.finished_bands = b + 1;
    }
  };
  options.mirror.rows > 0 ? sweep.template operator()<true>() : sweep.template operator()<false>();
  result.located = links.located;
  result.dead = links.dead;
  if (options.crossings) *options.crossings = links.crossings;
  return result;
}

/// What GpuPair does for the path, a special row after every `every` bands.
template <class Scores, int R>
Alignment align_by_bands(const Letters& query, const Letters& subject, const Scoring& scoring, Window window,
                         std::int64_t every) {
  const auto m = static_cast<std::int64_t>(query.size()), n = static_cast<std::int64_t>(subject.size());
  const std::int64_t rows = every * 64 * R, chunks = band_chunks(n);
  const std::int64_t bands = (m + 64 * R - 1) / (64 * R), kept = (bands - 1) / every;
  std::vector<std::uint32_t> border(static_cast<std::size_t>(kept * chunks * chunk_columns), 0xdeadbeefu);
  std::vector<std::int32_t> bases(static_cast<std::size_t>(kept * (chunks + 2)), 0x7f7f7f7f);
  const SpecialRows special{every, kept, border.data(), bases.data(), chunks};
  const Result forward = sweep_pair<Scores, R>(query, subject, scoring, window, {.known = 0, .special = special});
  const EndPoint end{forward.best.score, forward.best.row, forward.best.column};
  if (end.score == 0) return {};

  Letters q(query.rend() - end.query_end, query.rend()), s(subject.rend() - end.subject_end, subject.rend());
  const std::size_t padding = (64 * R - q.size() % (64 * R)) % (64 * R);
  Crossings crossings(rows, static_cast<std::size_t>((end.query_end + rows - 1) / rows));
  const Mirror mirror{.rows = static_cast<std::int64_t>(q.size() + padding),
                      .columns = end.subject_end,
                      .score = end.score,
                      .score_in_f = end.score + scoring.gap_open + 2 * scoring.gap_extend};
  const Result backward = sweep_pair<Scores, R>(
      q, s, scoring, window,
      {.known = end.score, .special = special, .mirror = mirror, .padding = padding, .crossings = &crossings});
  EXPECT_EQ(backward.best.score, end.score);
  const std::vector<Segment> segments = plan_segments(crossings, end);
  std::vector<trace::Row> tops;
  for (std::size_t k = 0; k < segments.size(); ++k) {
    const Segment& segment = segments[k];
    if (k == 0 || segment.empty()) {
      tops.emplace_back(segment.empty() ? 0 : static_cast<std::size_t>(segment.last_column - segment.first_column));
      continue;
    }
    const auto columns = static_cast<std::size_t>(segment.last_column - segment.first_column);
    const auto row = static_cast<std::int64_t>(k) - 1;
    tops.push_back(top_row(segment, {special.row(row) + segment.first_column, columns},
                           {special.base(row) + base_of_column(segment.first_column), columns / chunk_columns + 2},
                           scoring.gap_open + scoring.gap_extend));
  }
  return align_segments(query, subject, scoring, end, crossings, segments, tops, {});
}

}  // namespace speedwell::alignment::test

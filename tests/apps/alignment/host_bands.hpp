// GpuPair's sweep on the host, band after band: the templates of the kernel with HostWarp for the warp and, for
// the flags between bands, checks that what a band waits for is there.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "speedwell/apps/alignment/gpu/warp.hpp"
#include "speedwell/apps/alignment/gpu_pair/band.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_plan.hpp"
#include "speedwell/apps/alignment/pair_checks.hpp"

namespace speedwell::alignment::test {

using Residues = std::vector<std::uint8_t>;

/// Bands one after another: what a band waits for must be there.
struct HostLinks {
  std::int64_t finished_bands = 0, chunks = 0;
  std::int64_t known = 0, known_band = 0;
  int located = 0;
  std::int64_t done = 0, pruned = 0;  // chunks of the band, pruned chunks

  void wait(std::int64_t band, std::int64_t wanted) {
    EXPECT_LT(band, finished_bands);
    EXPECT_LE(wanted, chunks);
  }
  void publish(std::int64_t, std::int64_t chunk) {
    if (chunk > done + 1) pruned += chunk - done - 1;  // passed in one go
    done = chunk < chunks ? chunk : 0;
  }
  std::int64_t ready() const { return chunks; }
  void refresh() {}
  std::int64_t known_score() const { return known; }
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
  std::int64_t pruned = 0;
};

struct Options {
  std::int64_t known =
      -1;  // a score that the pair is known to have; pruned chunks are looked for if it is not negative
  SpecialRows special{};
  PairChecks* checks = nullptr;  // filled if given
};

template <class Scores, int R>
Result sweep_pair(const Residues& query, const Residues& subject, const Scoring& scoring, Window window,
                  const Options& options = {}) {
  const ResidueClasses classes = classify(query, subject, scoring.matrix);
  const int k = classes.count;
  std::vector<std::uint32_t> table(static_cast<std::size_t>(Scores::entries(k)) * 32);
  for (int thread = 0; thread < 3; ++thread)
    fill_table<Scores>(table.data(), classes.scores.data(), k, scoring.gap_open + scoring.gap_extend, thread, 3);
  Residues rows;
  for (const std::uint8_t code : query) rows.push_back(classes.of_code[code]);
  const auto n = static_cast<std::int64_t>(subject.size());
  const std::int64_t chunks = band_chunks(n);
  const auto residue = [&](std::int64_t j) {
    return j >= 0 && j < n ? classes.of_code[subject[static_cast<std::size_t>(j)]] : k - 1;
  };
  std::vector<std::uint16_t> columns;
  for (std::int64_t j = -columns_before; j < chunks * chunk_columns + columns_after; ++j)
    columns.push_back(Scores::column_entry(residue(j), residue(j - 2), k));
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
                            .checks = options.checks ? BandChecks{.sums = options.checks->sums.data(),
                                                                  .maximum = options.checks->maximum.data(),
                                                                  .first_pruned = options.checks->first_pruned.data(),
                                                                  .chunks_of_block = chunks_of_check_block(chunks)}
                                                     : BandChecks{},
                            .gap_first = scoring.gap_open + scoring.gap_extend,
                            .gap_next = scoring.gap_extend,
                            .border = border.data(),
                            .border_base = border_base.data()};
  HostWarp warp;
  HostLinks links;
  links.chunks = chunks;
  if (options.known > 0) links.known = options.known, links.known_band = INT64_MAX;
  const auto memory = std::make_unique<BandMemory<R>>();
  std::vector<std::uint32_t> candidate(BandMemory<R>::saved_words);
  Result result;
  const std::int64_t bands = (problem.query_length + 64 * R - 1) / (64 * R);
  for (std::int64_t b = 0; b < bands; ++b) {
    const auto band = std::make_unique<Band<Scores, R, HostWarp, HostLinks>>(
        warp, problem, b, *memory, reinterpret_cast<const char*>(table.data()), links, candidate.data());
    const BandBest best = band->sweep();
    if (best.score > result.best.score) result.best = best;
    links.finished_bands = b + 1;
  }
  result.located = links.located;
  result.pruned = links.pruned;
  return result;
}

}  // namespace speedwell::alignment::test

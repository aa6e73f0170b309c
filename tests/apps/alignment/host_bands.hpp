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
#include "speedwell/apps/alignment/verify/pair_checks.hpp"

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
  std::size_t gpus = 1;          // that take the bands in turn, each with memory of its own for the row above
};

/// A pair as the kernel gets it, with the memory of each GPU for the row above.
template <class Scores, int R>
struct HostPair {
  HostPair(const Residues& query, const Residues& subject, const Scoring& scoring, Window window,
           const Options& options)
      : classes(classify(query, subject, scoring.matrix)), borders(options.gpus), bases(options.gpus) {
    const int k = classes.count;
    table.resize(static_cast<std::size_t>(Scores::entries(k)) * 32);
    for (int thread = 0; thread < 3; ++thread)
      fill_table<Scores>(table.data(), classes.scores.data(), k, scoring.gap_open + scoring.gap_extend, thread, 3);
    for (const std::uint8_t code : query) rows.push_back(classes.of_code[code]);
    const auto n = static_cast<std::int64_t>(subject.size());
    const std::int64_t chunks = band_chunks(n);
    const auto residue = [&](std::int64_t j) {
      return j >= 0 && j < n ? classes.of_code[subject[static_cast<std::size_t>(j)]] : k - 1;
    };
    for (std::int64_t j = -columns_before; j < chunks * chunk_columns + columns_after; ++j)
      columns.push_back(Scores::column_entry(residue(j), residue(j - 2), k));
    const BandProblem shared{.query = rows.data(),
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
                             .gap_next = scoring.gap_extend};
    problems.assign(options.gpus, shared);
    for (std::size_t gpu = 0; gpu < options.gpus; ++gpu) {
      borders[gpu].assign(static_cast<std::size_t>(chunks * chunk_columns), 0xdeadbeefu);
      bases[gpu].assign(static_cast<std::size_t>(chunks + 2), 0x7f7f7f7f);
      problems[gpu].border = borders[gpu].data();
      problems[gpu].border_base = bases[gpu].data();
      const std::size_t before = (gpu + options.gpus - 1) % options.gpus;
      problems[before].border_below = borders[gpu].data();
      problems[before].border_base_below = bases[gpu].data();
    }
  }
  HostPair(const HostPair&) = delete;

  std::int64_t chunks() const { return problems[0].chunks; }
  std::int64_t bands() const { return (problems[0].query_length + 64 * R - 1) / (64 * R); }
  /// Sweeps one band.
  template <class Links>
  BandBest sweep(std::int64_t band, Links& links, BandMemory<R>& memory, std::uint32_t* candidate) const {
    HostWarp warp;
    const auto sweeping = std::make_unique<Band<Scores, R, HostWarp, Links>>(
        warp, problems[static_cast<std::size_t>(band) % problems.size()], band, memory,
        reinterpret_cast<const char*>(table.data()), links, candidate);
    return sweeping->sweep();
  }

  ResidueClasses classes;
  std::vector<std::uint32_t> table;
  Residues rows;
  std::vector<std::uint16_t> columns;
  std::vector<std::vector<std::uint32_t>> borders;
  std::vector<std::vector<std::int32_t>> bases;
  std::vector<BandProblem> problems;  // one for each GPU
};

template <class Scores, int R>
Result sweep_pair(const Residues& query, const Residues& subject, const Scoring& scoring, Window window,
                  const Options& options = {}) {
  const HostPair<Scores, R> pair(query, subject, scoring, window, options);
  HostLinks links;
  links.chunks = pair.chunks();
  if (options.known > 0) links.known = options.known, links.known_band = INT64_MAX;
  const auto memory = std::make_unique<BandMemory<R>>();
  std::vector<std::uint32_t> candidate(BandMemory<R>::saved_words);
  Result result;
  for (std::int64_t b = 0; b < pair.bands(); ++b) {
    const BandBest best = pair.sweep(b, links, *memory, candidate.data());
    if (best.score > result.best.score) result.best = best;
    links.finished_bands = b + 1;
  }
  result.located = links.located;
  result.pruned = links.pruned;
  return result;
}

}  // namespace speedwell::alignment::test

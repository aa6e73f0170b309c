// A whole GPU search stepped through on the host: the layout, the chunks and the code of the kernels' warps, with loops
// in sorted_position of blocks and threads. And what the layout promises, and refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/gpu/search_data.hpp"
#include "speedwell/apps/alignment/gpu/search_plan.hpp"
#include "speedwell/apps/alignment/gpu/warp.hpp"
#include "tests/apps/alignment/gpu_oracle.hpp"

namespace speedwell::alignment {
namespace {

using Codes = std::vector<std::uint8_t>;
using test::gotoh;
using test::random_codes;
using test::random_lengths;
using test::random_set;

/// The scores as the kernels compute them on a device with memory for `blocks` blocks; `wide` counts those in 32 bits.
std::vector<std::int32_t> host_search(const SequenceSet& queries, const SequenceSet& subjects, const Scoring& scoring,
                                      std::size_t blocks, std::size_t& wide) {
  const int alphabet_size = static_cast<int>(symbols(subjects.alphabet()).size());
  const PairedSubjects paired = pair_subjects(subjects);
  const std::vector<std::uint64_t> offsets(subjects.offsets().begin(), subjects.offsets().end());
  std::vector<std::uint64_t> packed;
  const PackSource source{.codes = subjects.packed().data(),
                          .offsets = offsets.data(),
                          .first_column = paired.first_column.data(),
                          .order = paired.order.data(),
                          .pairs = paired.pairs(),
                          .alphabet_size = alphabet_size};
  for (std::uint64_t column = 0; column < paired.first_column.back(); column += 4)
    packed.push_back(pack_columns(source, column));

  std::vector<QuerySpan> spans(queries.size());
  for (std::size_t q = 0; q < queries.size(); ++q)
    spans[q] = {queries.offsets()[q], static_cast<std::int32_t>(queries.length(q))};
  const std::vector<Chunk> chunks = plan_chunks(paired, queries.size(), blocks);
  std::vector<std::int32_t> results(queries.size() * subjects.size(), -1);
  SearchData data{.residues = reinterpret_cast<const std::uint8_t*>(packed.data()),
                  .first_column = paired.first_column.data(),
                  .order = paired.order.data(),
                  .sorted_position = paired.sorted_position.data(),
                  .subjects = subjects.size(),
                  .query_codes = queries.packed().data(),
                  .queries = spans.data(),
                  .scores = scoring.matrix.data(),
                  .alphabet_size = alphabet_size,
                  .results = results.data()};
  set_scoring(data, scoring);

  HostWarp warp;
  std::vector<Words4> memory(static_cast<std::size_t>(profile_bytes(max_strip, alphabet_size)) / sizeof(Words4));
  char* profile = reinterpret_cast<char*>(memory.data());
  for (const Chunk& chunk : chunks)
    for (std::uint32_t q = 0; q < queries.size(); ++q) {
      std::vector<Border> scratch(paired.first_column[chunk.first_pair + chunk.pairs] -
                                  paired.first_column[chunk.first_pair]);
      std::vector<std::uint32_t> best(chunk.pairs, 0);
      const int lanes = static_cast<int>(chunk.lanes);
      for (std::int64_t row = 0; row < spans[q].length;) {
        const int strip = strip_rows(spans[q].length, row, lanes);
        EXPECT_TRUE(strip >= 4 && strip <= max_strip && strip % 4 == 0) << strip;
        with_strip(strip, [&]<int R>() {
          EXPECT_EQ(R, strip);
          const auto sweep_with = [&]<class Arithmetic>(Arithmetic) {
            build_profile<Arithmetic, R>(profile, data.query_codes + spans[q].begin, spans[q].length,
                                         static_cast<int>(row), lanes, data.scores, alphabet_size, data.constants, 0,
                                         1);
            for (int w = 0; w < warps_per_block; ++w)
              sweep_pairs<Arithmetic, R>(warp, data, data.constants, chunk, spans[q].length, static_cast<int>(row),
                                         profile, scratch.data(), w, best.data());
          };
          data.eleven_bits ? sweep_with(Pair11{}) : sweep_with(Pair16{});
        });
        row += std::int64_t{lanes} * strip;
      }
      for (std::uint32_t pair = 0; pair < chunk.pairs; ++pair) store_pair(data, chunk, q, pair, best[pair]);
    }

  wide = 0;
  std::vector<Border> scratch(paired.pairs() > 0 ? paired.columns(0) : 0);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i] == needs_32_bits) {
      results[i] = sweep_wide(warp, data, i, profile, scratch.data());
      ++wide;
    }
  return results;
}

std::size_t expect_exact(const SequenceSet& queries, const SequenceSet& subjects, const Scoring& scoring,
                         std::size_t blocks) {
  std::size_t wide = 0;
  const auto scores = host_search(queries, subjects, scoring, blocks, wide);
  for (std::size_t q = 0; q < queries.size(); ++q)
    for (std::size_t s = 0; s < subjects.size(); ++s)
      EXPECT_EQ(scores[q * subjects.size() + s], gotoh(queries.codes(q), subjects.codes(s), scoring))
          << "query " << q << " of " << queries.length(q) << ", subject " << s << " of " << subjects.length(s);
  return wide;
}

Scoring blosum62() { return {named_matrix("BLOSUM62"), 11, 1}; }

constexpr std::size_t few_blocks = 0, many_blocks = 1000000;  // narrow groups; wide ones

TEST(GpuPlan, ASearchOnTheHostIsExact) {
  test::Random random(1);
  for (const std::size_t blocks : {few_blocks, many_blocks}) {
    std::vector<std::size_t> lengths = random_lengths(random, 149, 60);
    lengths.insert(lengths.end(), {0, 0, 300, 1021, 1025});
    const SequenceSet subjects = random_set(random, Alphabet::protein, lengths);
    EXPECT_EQ(expect_exact(random_set(random, Alphabet::protein, {0, 1, 33, 256, 257, 300, 1030}), subjects, blosum62(),
                           blocks),
              0u);
  }
}

TEST(GpuPlan, DnaAndScoresBeyond16Bits) {
  test::Random random(2);
  const Scoring scoring{match_mismatch(127, -50), 100, 3};
  SequenceSet subjects = random_set(random, Alphabet::dna, {500, 20, 270, 300, 41});
  SequenceSet queries = random_set(random, Alphabet::dna, {30, 260});
  for (const std::size_t s : {0, 2, 3}) queries.add_codes("same", subjects.codes(s));
  // Random DNA of these lengths stays far below 32640; the copies score about 127 * 4 / 15 a residue, ambiguity codes
  // being mismatches: make copies of plain bases.
  SequenceSet plain(Alphabet::dna);
  const Codes bases = random_codes(random, 600, 4);
  plain.add_codes("whole", bases);
  plain.add_codes("half", std::span(bases).first(300));
  plain.add_codes("short", std::span(bases).first(250));
  for (const std::size_t blocks : {few_blocks, many_blocks}) {
    expect_exact(queries, subjects, scoring, blocks);
    EXPECT_EQ(expect_exact(plain, plain, scoring, blocks), 9u);                    // eleven bits hold none of them
    EXPECT_EQ(expect_exact(plain, plain, {scoring.matrix, 1100, 3}, blocks), 4u);  // in 16: whole and half, 300 * 127
  }
}

// With 127 a match, -50 a mismatch and the limit at 32640: 257 matches make 32639, the mismatch 32589, the next match
// 32716, which is the last score that 16 bits hold before the one after it wraps.
TEST(GpuPlan, AScoreJustAboveTheLimitIsNotTrusted) {
  test::Random random(7);
  Codes residues = random_codes(random, 400, 4);
  SequenceSet query(Alphabet::dna), subject(Alphabet::dna);
  query.add_codes("", residues);
  residues[257] = static_cast<std::uint8_t>((residues[257] + 1) % 4);
  subject.add_codes("", residues);
  const Scoring scoring{match_mismatch(127, -50), 10000, 1};
  EXPECT_EQ(gotoh(query.codes(0), subject.codes(0), scoring), 399 * 127 - 50);
  EXPECT_EQ(expect_exact(query, subject, scoring, few_blocks), 1u);
}

TEST(GpuPlan, EmptySets) {
  test::Random random(3);
  const SequenceSet none(Alphabet::protein), some = random_set(random, Alphabet::protein, {10, 0, 5});
  const SequenceSet empties = random_set(random, Alphabet::protein, {0, 0, 0});
  expect_exact(none, some, blosum62(), few_blocks);
  expect_exact(some, none, blosum62(), few_blocks);
  for (const std::size_t blocks : {few_blocks, many_blocks}) {
    expect_exact(some, empties, blosum62(), blocks);
    expect_exact(empties, some, blosum62(), blocks);
  }
}

TEST(GpuPlan, PairsAreSortedAndEverySubjectHasOnePosition) {
  test::Random random(4);
  for (const std::size_t count : {0, 1, 2, 7, 1000}) {
    const SequenceSet set = random_set(random, Alphabet::protein, random_lengths(random, count, 50));
    const PairedSubjects paired = pair_subjects(set);
    ASSERT_EQ(paired.pairs(), (count + 1) / 2);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(paired.order[paired.sorted_position[i]], i);
    for (std::size_t i = 1; i < count; ++i) {
      const std::uint32_t a = paired.order[i - 1], b = paired.order[i];
      EXPECT_TRUE(set.length(a) > set.length(b) || (set.length(a) == set.length(b) && a < b));
    }
    if (count % 2 == 1) {
      EXPECT_EQ(paired.order.back(), PairedSubjects::none);
    }
    for (std::size_t p = 0; p < paired.pairs(); ++p) {
      EXPECT_EQ(paired.columns(p) % 4, 0u);
      EXPECT_EQ(paired.columns(p) / 4, (set.length(paired.order[2 * p]) + 3) / 4);
    }
  }
}

TEST(GpuPlan, ChunksCoverThePairsOnceInOrder) {
  test::Random random(5);
  for (const std::size_t below : {1, 40, 3000})
    for (const std::size_t blocks : {few_blocks, std::size_t{100}, many_blocks}) {
      const SequenceSet set = random_set(random, Alphabet::protein, random_lengths(random, 701, below));
      const PairedSubjects paired = pair_subjects(set);
      std::size_t next = 0;
      for (const Chunk& chunk : plan_chunks(paired, 3, blocks)) {
        EXPECT_EQ(chunk.first_pair, next);
        EXPECT_TRUE(chunk.pairs > 0 && chunk.pairs <= max_pairs_per_chunk);
        EXPECT_TRUE(chunk.lanes == 32 || (chunk.lanes == 8 && blocks != many_blocks));
        if (paired.columns(next) >= 1024) {
          EXPECT_EQ(chunk.lanes, 32u);
        }
        next += chunk.pairs;
      }
      EXPECT_EQ(next, paired.pairs());
    }
}

TEST(GpuPlan, StripsCoverTheQueryWithLittlePadding) {
  for (const int lanes : {8, 32})
    for (std::int64_t length = 1; length < 3000; ++length) {
      std::int64_t row = 0;
      while (row < length) row += std::int64_t{lanes} * strip_rows(length, row, lanes);
      EXPECT_LT(row - length, 4 * lanes);
    }
}

TEST(GpuPlan, RefusesWhatItCannotDoExactly) {
  test::Random random(6);
  const SequenceSet protein = random_set(random, Alphabet::protein, {5});
  const SequenceSet dna = random_set(random, Alphabet::dna, {5});
  EXPECT_NO_THROW(check_search(protein, protein, blosum62()));
  EXPECT_THROW(check_search(protein, dna, blosum62()), std::invalid_argument);
  EXPECT_THROW(check_search(dna, dna, blosum62()), std::invalid_argument);
  for (const auto& [open, extend] : {std::pair{-1, 1}, {11, -1}, {0, 0}})
    EXPECT_THROW(check_search(protein, protein, {named_matrix("BLOSUM62"), open, extend}), std::invalid_argument);
  EXPECT_NO_THROW(check_search(dna, dna, {match_mismatch(1, -1), 0, 1}));

  // 127 * 16909320 = 2147483640 fits 31 bits, 127 * 16909321 does not. One long sequence alone is harmless.
  SequenceSet fits(Alphabet::dna), longer(Alphabet::dna);
  fits.add_codes("", Codes(16909320));
  longer.add_codes("", Codes(16909321));
  const Scoring large{match_mismatch(127, -1), 1, 1};
  EXPECT_NO_THROW(check_search(fits, longer, large));
  EXPECT_NO_THROW(check_search(longer, fits, large));
  EXPECT_THROW(check_search(longer, longer, large), std::invalid_argument);
  EXPECT_NO_THROW(check_search(longer, longer, {match_mismatch(126, -1), 1, 1}));
}

}  // namespace
}  // namespace speedwell::alignment

// Tiles of one pair's table, and sweeps over them, on every instruction set of this machine against the reference.
#include "speedwell/apps/alignment/cpu/pair_tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/verify/reference.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "tests/apps/alignment/golden.hpp"
#include "tests/apps/alignment/random_sequences.hpp"

namespace speedwell::alignment {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<core::Isa> isas() {
  std::vector<core::Isa> all;
  for (const core::Isa isa : {core::Isa::baseline, core::Isa::sse41, core::Isa::avx2, core::Isa::avx512})
    if (core::is_supported(isa)) all.push_back(isa);
  return all;
}

const TileKernels& kernels_of(core::Isa isa) {
#if defined(__x86_64__)
  if (isa == core::Isa::avx512) return avx512::tile_kernels;
  if (isa == core::Isa::avx2) return avx2::tile_kernels;
  if (isa == core::Isa::sse41) return sse41::tile_kernels;
#endif
  (void)isa;
  return baseline::tile_kernels;
}

SubstitutionMatrix matrix_of_one(std::int8_t score) {
  std::array<std::int8_t, code_limit * code_limit> scores;
  scores.fill(score);
  return {"one", Alphabet::dna, scores};
}

/// Borders of a rectangle as the reference has them. E and F enter the first cells; below 0 they do not matter.
Borders borders_in(const reference::Table& t, const Rectangle& part, const Scoring& scoring) {
  const std::int64_t next = scoring.gap_extend, first = scoring.gap_open + next;
  const auto at = [&](const std::vector<std::int64_t>& field, std::size_t i, std::size_t j) {
    return field[i * t.columns + j];
  };
  const auto cut = [](std::int64_t value) { return static_cast<std::int32_t>(std::max<std::int64_t>(value, 0)); };
  Borders b;
  for (std::size_t j = part.column + 1; j <= part.column + part.columns; ++j) {
    b.top_h.push_back(cut(t.H(part.row, j)));
    b.top_f.push_back(cut(std::max(at(t.f, part.row, j) - next, t.H(part.row, j) - first)));
  }
  for (std::size_t i = part.row + 1; i <= part.row + part.rows; ++i) {
    b.left_h.push_back(cut(t.H(i, part.column)));
    b.left_e.push_back(cut(std::max(at(t.e, i, part.column) - next, t.H(i, part.column) - first)));
  }
  b.corner = cut(t.H(part.row, part.column));
  return b;
}

/// The first cell of the rectangle with its largest H, counted from 1 in the table.
EndPoint best_in(const reference::Table& t, const Rectangle& part) {
  EndPoint best;
  for (std::size_t i = part.row + 1; i <= part.row + part.rows; ++i)
    for (std::size_t j = part.column + 1; j <= part.column + part.columns; ++j)
      if (t.H(i, j) > best.score)
        best = {static_cast<std::int32_t>(t.H(i, j)), static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)};
  return best;
}

void expect_borders(const Borders& got, const Borders& expected) {
  EXPECT_EQ(got.top_h, expected.top_h);
  EXPECT_EQ(got.top_f, expected.top_f);
  EXPECT_EQ(got.left_h, expected.left_h);
  EXPECT_EQ(got.left_e, expected.left_e);
}

/// The result of a kernel on a rectangle, which is compared with the reference.
enum class Outcome { unusable, overflow, done };
Outcome expect_tile(const TileKernel& kernel, const Bytes& query, const Bytes& subject, const Scoring& scoring,
                    const reference::Table& t, const Rectangle& part, std::int32_t threshold) {
  Borders b = borders_in(t, part, scoring);
  const Borders before = b;
  const std::int64_t first = scoring.gap_open + scoring.gap_extend;
  std::int64_t lowest = b.corner, highest = b.corner;
  for (const auto* border : {&b.top_h, &b.left_h})
    for (const std::int64_t h : *border) {
      lowest = std::min(lowest, h);
      highest = std::max(highest, h);
    }
  for (std::size_t i = part.row + 1; i <= part.row + part.rows; ++i)
    for (std::size_t j = part.column + 1; j <= part.column + part.columns; ++j) lowest = std::min(lowest, t.H(i, j));
  const std::int64_t maximum = std::max(0, scoring.matrix.highest());
  Tile tile{};
  tile.base = static_cast<std::int32_t>(kernel.range > 65535 ? 0 : std::max<std::int64_t>(lowest - first, 0));
  if (first > kernel.max_gap_first || highest - tile.base > kernel.range - maximum) return Outcome::unusable;
  Bytes symbols = query;
  std::sort(symbols.begin(), symbols.end());
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
  core::HostBuffer<unsigned char> workspace(
      tile_workspace_bytes(part.rows, part.columns, static_cast<int>(symbols.size())));
  tile.query = query.data() + part.row;
  tile.rows = part.rows;
  tile.subject = subject.data() + part.column;
  tile.columns = part.columns;
  tile.query_symbols = symbols.data();
  tile.query_symbol_count = static_cast<int>(symbols.size());
  tile.scores = scoring.matrix.data();
  tile.gap_first = static_cast<std::int32_t>(first);
  tile.gap_next = scoring.gap_extend;
  tile.highest = static_cast<std::int32_t>(maximum);
  tile.top_h = b.top_h.data();
  tile.top_f = b.top_f.data();
  tile.left_h = b.left_h.data();
  tile.left_e = b.left_e.data();
  tile.corner = b.corner;
  tile.threshold = threshold;
  tile.workspace = workspace.data();

  EndPoint best = best_in(t, part);
  if (!kernel.score(tile)) {
    EXPECT_GT(best.score - tile.base, kernel.range - maximum) << "without need";
    expect_borders(b, before);
    return Outcome::overflow;
  }
  EXPECT_TRUE(kernel.range > 65535 || best.score - tile.base <= kernel.range - maximum) << "unseen overflow";
  if (best.score < threshold) best = {};
  EXPECT_EQ(tile.best, best.score);
  if (best.score > 0) {
    EXPECT_EQ(static_cast<std::int32_t>(part.row + tile.best_row + 1), best.query_end);
    EXPECT_EQ(static_cast<std::int32_t>(part.column + tile.best_column + 1), best.subject_end);
  }
  const Borders below = borders_in(t, {part.row + part.rows, part.column, 0, part.columns}, scoring);
  EXPECT_EQ(b.top_h, below.top_h);
  EXPECT_EQ(b.top_f, below.top_f);
  if (part.columns % tile_columns_multiple == 0) {
    const Borders right = borders_in(t, {part.row, part.column + part.columns, part.rows, 0}, scoring);
    EXPECT_EQ(b.left_h, right.left_h);
    EXPECT_EQ(b.left_e, right.left_e);
  }
  return Outcome::done;
}

Scoring random_scoring(test::Random& random, Alphabet alphabet) {
  const auto names = matrix_names();
  SubstitutionMatrix matrix = named_matrix("BLOSUM62");
  if (alphabet == Alphabet::dna) {
    matrix = random.below(4) ? match_mismatch(random.between(1, 9), -random.between(1, 9))
                             : matrix_of_one(static_cast<std::int8_t>(random.between(1, 127)));
  } else {
    const SubstitutionMatrix& other = named_matrix(names[random.below(names.size())]);
    if (other.alphabet() == alphabet) matrix = other;
  }
  Scoring scoring{matrix, random.between(0, random.below(2) ? 15 : 150), random.between(0, random.below(2) ? 2 : 20)};
  if (random.below(4) == 0) scoring.gap_open = 0;
  if (scoring.gap_open + scoring.gap_extend == 0) scoring.gap_extend = 1;
  return scoring;
}

TEST(Tiles, EveryWidthAndInstructionSetAgreesWithTheReference) {
  std::size_t done[3] = {}, overflows[3] = {}, with_base[3] = {};
  for (int round = 0; round < 250; ++round) {
    test::Random random(static_cast<std::uint64_t>(round + 1));
    const Alphabet alphabet = random.below(2) ? Alphabet::protein : Alphabet::dna;
    const Scoring scoring = random_scoring(random, alphabet);
    const Bytes query = random.codes(alphabet, 1 + random.below(200));
    Bytes subject = random.below(2) ? random.codes(alphabet, 1 + random.below(300)) : random.relative(query);
    if (subject.empty()) subject.push_back(0);
    const reference::Table t = reference::table(query, subject, scoring);
    for (int k = 0; k < 6; ++k) {
      Rectangle part;
      part.row = random.below(query.size());
      part.column = random.below(subject.size());
      part.rows = 1 + random.below(query.size() - part.row);
      part.columns = 1 + random.below(subject.size() - part.column);
      if (k % 2 == 0 && part.columns > 64) part.columns -= part.columns % 64;
      if (k == 0) part = {0, 0, query.size(), subject.size()};
      const auto threshold = static_cast<std::int32_t>(k < 4 ? 1 : random.between(1, 300));
      const bool high = t.H(part.row, part.column) > 200;
      for (const core::Isa isa : isas()) {
        SCOPED_TRACE(testing::Message() << core::to_string(isa) << ", round " << round << ", rectangle " << k);
        const TileKernels& kernels = kernels_of(isa);
        for (int w = 0; w < 3; ++w) {
          const TileKernel& kernel = w == 0 ? kernels.bits8 : w == 1 ? kernels.bits16 : kernels.bits32;
          const Outcome outcome = expect_tile(kernel, query, subject, scoring, t, part, threshold);
          done[w] += outcome == Outcome::done;
          overflows[w] += outcome == Outcome::overflow;
          with_base[w] += outcome == Outcome::done && high;
        }
      }
      if (HasFailure()) return;
    }
  }
  // This checks that all cases were tested: 8 bits overflow, and hold tiles far above 255 by their base.
  EXPECT_GT(done[0], 1000u);
  EXPECT_GT(overflows[0], 100u);
  EXPECT_GT(with_base[0], 20u);
  EXPECT_GT(done[1], 3000u);
  EXPECT_GT(with_base[1], 500u);
  EXPECT_EQ(overflows[2], 0u);
}

TEST(Tiles, SeeSixteenBitsOverflow) {
  // One residue, 127 a match: H(n, n) = 127 n, and 127 * 516 = 65532 is beyond 65535 - 127.
  const Scoring scoring{match_mismatch(127, -128), 127, 1};
  for (const std::size_t length : {510, 514, 515, 516, 517, 600}) {
    const Bytes sequence(length, 2);
    const reference::Table t = reference::table(sequence, sequence, scoring);
    for (const core::Isa isa : isas()) {
      SCOPED_TRACE(testing::Message() << core::to_string(isa) << " " << length);
      EXPECT_EQ(expect_tile(kernels_of(isa).bits16, sequence, sequence, scoring, t, {0, 0, length, length}, 1),
                length <= 515 ? Outcome::done : Outcome::overflow);
      EXPECT_EQ(expect_tile(kernels_of(isa).bits32, sequence, sequence, scoring, t, {0, 0, length, length}, 1),
                Outcome::done);
    }
  }
}

/// find_end() on every instruction set, and sweeps in small tiles on several threads.
void expect_end(const Bytes& query, const Bytes& subject, const Scoring& scoring) {
  const reference::Best best = reference::best(query, subject, scoring);
  const EndPoint expected{static_cast<std::int32_t>(best.score), static_cast<std::int32_t>(best.query_end),
                          static_cast<std::int32_t>(best.subject_end)};
  for (const core::Isa isa : isas()) {
    EXPECT_EQ(find_end(query, subject, scoring, {.threads = 1, .isa = isa}), expected)
        << core::to_string(isa) << " " << scoring.matrix.name() << " " << scoring.gap_open << "," << scoring.gap_extend
        << " " << query.size() << " x " << subject.size();
    const PairTable table(query, subject, scoring, {.threads = 1, .isa = isa});
    for (const TileShape shape : {TileShape{1, 64}, TileShape{40, 128}, TileShape{1000, 192}}) {
      Borders borders = Borders::of_table(query.size(), subject.size());
      EXPECT_EQ(table.sweep({0, 0, query.size(), subject.size()}, borders, shape), expected)
          << core::to_string(isa) << " " << shape.rows << " x " << shape.columns;
    }
  }
}

TEST(FindEnd, RandomPairsOfEveryKind) {
  for (int round = 0; round < 200; ++round) {
    test::Random random(static_cast<std::uint64_t>(round + 1000));
    const Alphabet alphabet = random.below(2) ? Alphabet::protein : Alphabet::dna;
    const Scoring scoring = random_scoring(random, alphabet);
    const Bytes query = random.codes(alphabet, random.below(round % 10 ? 150 : 700));
    expect_end(query, random.below(2) ? random.codes(alphabet, random.below(400)) : random.relative(query), scoring);
    ASSERT_FALSE(HasFailure()) << round;
  }
}

TEST(FindEnd, LengthsAroundTheLanes) {
  test::Random random(1);
  const Bytes sequence = random.codes(Alphabet::protein, 300);
  const auto front = [&](std::size_t length) {
    return Bytes(sequence.begin(), sequence.begin() + static_cast<std::ptrdiff_t>(length));
  };
  for (const std::size_t m : {0, 1, 2, 3, 17, 64, 130})
    for (const std::size_t n :
         {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 191, 192, 193, 257})
      expect_end(front(m), front(n), {named_matrix("BLOSUM62"), 11, 1});
}

TEST(FindEnd, ScoresAroundTheLimitsOfLanes) {
  for (std::size_t length = 245; length <= 260; ++length)
    expect_end(Bytes(300, 1), Bytes(length, 1), {match_mismatch(1, -1), 3, 1});
  for (std::size_t length = 508; length <= 520; ++length)
    expect_end(Bytes(530, 2), Bytes(length, 2), {match_mismatch(127, -128), 127, 1});
}

TEST(FindEnd, TheFirstOfManyEqualCells) {
  // The unit comes back in both sequences, so that the best score is in many tiles.
  test::Random random(2);
  const Bytes unit = random.codes(Alphabet::protein, 40), between(25, 22);  // X, which scores below 0
  Bytes query, subject;
  for (int k = 0; k < 6; ++k) {
    query.insert(query.end(), between.begin(), between.end());
    query.insert(query.end(), unit.begin(), unit.end());
    subject.insert(subject.end(), unit.begin(), unit.end());
    subject.insert(subject.end(), between.begin(), between.end());
  }
  expect_end(query, subject, {named_matrix("BLOSUM62"), 100, 100});
  expect_end(subject, query, {named_matrix("BLOSUM62"), 100, 100});
  expect_end(Bytes(200, 3), Bytes(1, 3), {match_mismatch(1, -1), 1, 1});
  expect_end(Bytes(1, 3), Bytes(200, 3), {match_mismatch(1, -1), 1, 1});
}

TEST(FindEnd, LongGapsGoThroughManyLanes) {
  // A query that is the two ends of the subject: the gap between them passes every stretch of a vector.
  test::Random random(3);
  const Bytes ends = random.codes(Alphabet::protein, 400);
  for (const std::size_t gap : {10, 70, 300, 1000}) {
    Bytes subject(ends.begin(), ends.begin() + 200);
    const Bytes inserted = random.codes(Alphabet::protein, gap);
    subject.insert(subject.end(), inserted.begin(), inserted.end());
    subject.insert(subject.end(), ends.begin() + 200, ends.end());
    for (const auto& [open, extend] : {std::pair{11, 0}, std::pair{0, 1}, std::pair{1, 1}, std::pair{5, 0}}) {
      expect_end(ends, subject, {named_matrix("BLOSUM62"), open, extend});
      expect_end(subject, ends, {named_matrix("BLOSUM62"), open, extend});
    }
  }
}

TEST(FindEnd, CostsThatNoLaneHolds) {
  test::Random random(4);
  const Bytes query = random.codes(Alphabet::protein, 150), subject = random.relative(query);
  for (const int open :
       {100, 115, 116, 117, 126, 127, 128, 1000, 32766, 32767, 32768, 1 << 20, std::numeric_limits<int>::max()})
    for (const int extend : {0, 1, open}) expect_end(query, subject, {named_matrix("BLOSUM62"), open, extend});
}

TEST(FindEnd, NothingAndEverythingScores) {
  const Bytes sequence = {0, 1, 2, 3, 0, 1};
  expect_end(sequence, sequence, {matrix_of_one(-3), 1, 1});
  expect_end(sequence, sequence, {matrix_of_one(0), 1, 1});
  test::Random random(5);
  const Bytes query = random.codes(Alphabet::dna, 400), subject = random.codes(Alphabet::dna, 500);
  for (const int score : {1, 20, 127})
    expect_end(query, subject, {matrix_of_one(static_cast<std::int8_t>(score)), 3, 1});
}

TEST(FindEnd, ThreadsDoNotShow) {
  using namespace golden;
  const Bytes a = dna_codes(dna(seed_a, 6000)), b = dna_codes(mutated(dna(seed_a, 6000), seed_c)),
              c = dna_codes(dna(seed_c, 6000));
  for (const auto& [query, subject, scoring] :
       {std::tuple{a, b, Scoring{match_mismatch(2, -3), 5, 2}}, std::tuple{a, c, Scoring{match_mismatch(5, -3), 8, 1}},
        std::tuple{a, c, Scoring{match_mismatch(1, -3), 5, 2}}}) {  // 10 cells or so have the last one's score
    const reference::Best best = reference::best(query, subject, scoring);
    const EndPoint expected{static_cast<std::int32_t>(best.score), static_cast<std::int32_t>(best.query_end),
                            static_cast<std::int32_t>(best.subject_end)};
    for (const int threads : {1, 2, 3, 8}) {
      EXPECT_EQ(find_end(query, subject, scoring, {.threads = threads}), expected) << threads;
      const PairTable table(query, subject, scoring, {.threads = threads});
      Borders borders = Borders::of_table(query.size(), subject.size());
      EXPECT_EQ(table.sweep({0, 0, query.size(), subject.size()}, borders, {100, 320}), expected) << threads;
    }
  }
}

TEST(FindEnd, RefusesAnInstructionSetThatIsNotThere) {
  if (core::is_supported(core::Isa::avx512)) GTEST_SKIP() << "this processor has all of them";
  EXPECT_THROW(find_end(Bytes{1}, Bytes{1}, {named_matrix("BLOSUM62"), 11, 1}, {.isa = core::Isa::avx512}),
               std::invalid_argument);
}

TEST(Sweeps, BordersOfEveryPartOfAGrid) {
  test::Random random(6);
  const Bytes query = random.codes(Alphabet::protein, 211), subject = random.relative(random.relative(query));
  const Scoring scoring{named_matrix("BLOSUM62"), 4, 1};
  const reference::Table t = reference::table(query, subject, scoring);
  const PairTable table(query, subject, scoring, {.threads = 1});
  const Rectangle whole{13, 29, query.size() - 20, subject.size() - 31};
  Borders borders = borders_in(t, whole, scoring);
  Grid grid(whole, borders, 40, 128);
  EXPECT_EQ(table.sweep(whole, borders, {20, 64}, &grid), best_in(t, whole));
  for (std::size_t row = whole.row; row < whole.row + whole.rows; row += 7)
    for (std::size_t column = whole.column; column < whole.column + whole.columns; column += 11) {
      const Rectangle part = grid.part_before(row, column);
      SCOPED_TRACE(testing::Message() << row << ", " << column);
      EXPECT_LE(part.rows, 40u);
      EXPECT_LE(part.columns, 128u);
      EXPECT_EQ(part.row + part.rows - 1, row);
      const Borders expected = borders_in(t, part, scoring), got = grid.borders_of(part);
      expect_borders(got, expected);
      EXPECT_EQ(got.corner, expected.corner);
    }
}

}  // namespace
}  // namespace speedwell::alignment

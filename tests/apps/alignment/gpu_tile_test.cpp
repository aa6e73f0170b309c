// The tile algorithm of the GPU search, lane by lane on the host: the same templates as in the kernel with HostWarp for
// the warp, held against a Gotoh in three arrays.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "speedwell/apps/alignment/gpu/search_plan.hpp"
#include "speedwell/apps/alignment/gpu/tile.hpp"
#include "speedwell/apps/alignment/gpu/warp.hpp"
#include "tests/apps/alignment/gpu_oracle.hpp"

namespace speedwell::alignment {
namespace {

using Codes = std::vector<std::uint8_t>;
using test::random_codes;
using Table = std::array<std::int8_t, 32 * 32>;

struct Costs {
  int open, extend;
};

std::int64_t gotoh(const Codes& query, const Codes& subject, const Table& scores, Costs costs) {
  const auto score = [&](unsigned a, unsigned b) { return scores[a * 32 + b]; };
  return test::gotoh(query, subject, score, costs.open, costs.extend);
}

/// `match` on the diagonal, and `mismatch` elsewhere.
Table match_table(int match, int mismatch) {
  Table table;
  for (int i = 0; i < 32 * 32; ++i)
    table[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i / 32 == i % 32 ? match : mismatch);
  return table;
}

Table random_table(test::Random& random, int low, int high) {
  Table table;
  for (auto& s : table)
    s = static_cast<std::int8_t>(low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1)));
  return table;
}

constexpr int alphabet_size = 25;

/// A warp's worth of subject pairs, packed as the database is: two bytes a column, columns a multiple of four.
struct Database {
  std::vector<std::vector<std::uint8_t>> residues;
  std::vector<std::vector<Borders>> border;
  std::vector<int> columns;

  explicit Database(const std::vector<Codes>& subjects) {
    for (std::size_t i = 0; i < subjects.size(); i += 2) {
      const Codes& a = subjects[i];
      const Codes b = i + 1 < subjects.size() ? subjects[i + 1] : Codes{};
      const std::size_t n = (std::max(a.size(), b.size()) + 3) / 4 * 4;
      std::vector<std::uint8_t> pair(2 * n, static_cast<std::uint8_t>(padding_residue(alphabet_size)));
      for (std::size_t j = 0; j < a.size(); ++j) pair[2 * j] = a[j];
      for (std::size_t j = 0; j < b.size(); ++j) pair[2 * j + 1] = b[j];
      residues.push_back(std::move(pair));
      border.emplace_back(n / 2, Borders{{{0xdeadbeefu, 0xdeadbeefu}, {0xdeadbeefu, 0xdeadbeefu}}});
      columns.push_back(static_cast<int>(n));
    }
  }
};

/// The work of a block of the kernel on one warp's pairs: tile after tile of R rows a lane, profile and sweep.
/// `half`: of Single32, which subject of the pair.
template <class Arithmetic, int R>
HostWarp::Per<std::uint32_t> sweep_query(const Codes& query, Database& database, int lanes, const Table& scores,
                                         Costs costs, int half = 0) {
  HostWarp warp;
  const CellConstants constants = Arithmetic::constants(costs.open, costs.extend);
  std::vector<Words4> profile(
      static_cast<std::size_t>(profile_rows(alphabet_size) * ProfileLayout<R>::bytes_per_residue) / sizeof(Words4));
  char* bytes = reinterpret_cast<char*>(profile.data());
  HostWarp::Per<std::uint32_t> best{};
  HostWarp::Per<Subjects> work{};
  int maximum = 0;
  for (int lane = 0; lane < 32; ++lane) {
    const auto pair = static_cast<std::size_t>(lane / lanes);
    if (pair >= database.columns.size()) continue;
    work[lane] = {database.residues[pair].data() + half, database.border[pair].front().column, database.columns[pair]};
    maximum = std::max(maximum, database.columns[pair]);
  }
  const auto padding = static_cast<std::uint32_t>(padding_residue(alphabet_size));
  const int length = static_cast<int>(query.size()), tile = lanes * R;
  for (int row = 0; row < length; row += tile) {
    std::fill(profile.begin(), profile.end(), Words4{{0x7fff7fffu, 0x7fff7fffu, 0x7fff7fffu, 0x7fff7fffu}});
    for (int thread = 0; thread < 7; ++thread)  // any number of threads fills it
      build_profile<Arithmetic, R>(bytes, query.data(), length, row, lanes, scores.data(), alphabet_size, constants,
                                   thread, 7);
    const Pass pass{.profile = bytes,
                    .lanes = lanes,
                    .steps = pass_steps(maximum, lanes),
                    .padding = padding * 0x01010101u,
                    .reads_border = row > 0,
                    .writes_border = row + tile < length};
    sweep<Arithmetic, R>(warp, pass, work, constants, best);
  }
  warp.template largest_of_group<Arithmetic>(best, lanes);
  return best;
}

template <class Arithmetic, int R>
void expect_exact_in(const Codes& query, const std::vector<Codes>& subjects, int lanes, const Table& scores,
                     Costs costs) {
  Database database(subjects);
  const auto best = sweep_query<Arithmetic, R>(query, database, lanes, scores, costs);
  const int highest = *std::max_element(scores.begin(), scores.end());
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const std::int64_t expected = gotoh(query, subjects[i], scores, costs);
    const std::int32_t got = Arithmetic::score(best[static_cast<int>(i / 2) * lanes], static_cast<int>(i % 2));
    const std::int32_t limit = Arithmetic::limit(highest);
    if (expected > limit)
      EXPECT_GT(got, limit) << "an overflow went unseen: subject " << i << ", score " << expected;
    else
      EXPECT_EQ(got, expected) << "subject " << i << " of " << subjects[i].size() << ", query " << query.size()
                               << ", R " << R << ", lanes " << lanes << ", gaps " << costs.open << "," << costs.extend;
  }
}

/// In every arithmetic of pairs that serves these costs.
template <int R>
void expect_exact_pairs(const Codes& query, const std::vector<Codes>& subjects, int lanes, const Table& scores,
                        Costs costs) {
  expect_exact_in<Pair16, R>(query, subjects, lanes, scores, costs);
  if (Pair11::serves(costs.open, costs.extend)) expect_exact_in<Pair11, R>(query, subjects, lanes, scores, costs);
}

template <int R>
void try_lengths(test::Random& random) {
  for (const int lanes : {8, 32}) {
    const int tile = lanes * R;
    const Table scores = random_table(random, -6, 8);
    for (const int length : {1, R - 1, R, R + 1, tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 3}) {
      const Costs costs{static_cast<int>(random() % 12), 1 + static_cast<int>(random() % 3)};
      std::vector<Codes> subjects;
      const auto pairs = static_cast<std::size_t>(32 / lanes);
      for (std::size_t i = 0; i < 2 * pairs - 1; ++i)
        subjects.push_back(random_codes(random, random() % 90, alphabet_size));
      expect_exact_pairs<R>(random_codes(random, static_cast<std::size_t>(length), alphabet_size), subjects, lanes,
                            scores, costs);
    }
  }
}

TEST(GpuTile, AgreesWithGotohAroundStripAndTileBoundaries) {
  test::Random random(1);
  try_lengths<4>(random);
  try_lengths<8>(random);
  try_lengths<12>(random);
  try_lengths<32>(random);
}

TEST(GpuTile, SubjectsOfEveryShortLength) {
  test::Random random(2);
  const Table scores = random_table(random, -4, 5);
  for (std::size_t length = 0; length <= 40; ++length)
    expect_exact_pairs<8>(
        random_codes(random, 70, alphabet_size),
        {random_codes(random, length, alphabet_size), random_codes(random, 40 - length, alphabet_size)}, 8, scores,
        {3, 1});
}

TEST(GpuTile, GapsThatCostMoreThan16BitsHold) {
  test::Random random(3);
  const Table scores = random_table(random, -128, 127);
  const Codes query = random_codes(random, 100, 4), subject = random_codes(random, 100, 4);
  for (const Costs costs :
       {Costs{0, 1}, {1, 0}, {32766, 1}, {32767, 0}, {32768, 5}, {0, 40000}, {2000000000, 2000000000}})
    expect_exact_pairs<8>(query, {subject, query}, 8, scores, costs);
}

TEST(GpuTile, MatricesOfOneSign) {
  test::Random random(4);
  const Codes query = random_codes(random, 75, alphabet_size), subject = random_codes(random, 61, alphabet_size);
  expect_exact_pairs<12>(query, {subject, query}, 8, random_table(random, -128, -1), {5, 2});
  expect_exact_pairs<12>(query, {subject, query}, 8, random_table(random, 1, 100), {5, 2});
  expect_exact_pairs<12>(query, {subject, query}, 8, random_table(random, 0, 0), {5, 2});
}

// Scores grow by 127 a cell, so the halves pass the limit early, wrap and stay in a wild state for hundreds of columns;
// the other half of the word must not notice.
TEST(GpuTile, AnOverflowIsSeenAndStaysInItsHalf) {
  test::Random random(5);
  const Table scores = match_table(127, -128);
  const Codes query = random_codes(random, 600, 20), other = random_codes(random, 600, 20);
  expect_exact_pairs<32>(query, {query, other}, 32, scores, {300, 7});
  expect_exact_pairs<32>(query, {other, query}, 8, scores, {300, 7});
  // Just below, at and above the limit: 255 * 127 = 32385, limit 32640, 257 * 127 = 32639, 258 * 127 = 32766.
  for (const std::size_t length : {255u, 257u, 258u, 259u, 516u, 517u}) {
    const Codes part(query.begin(), query.begin() + static_cast<std::ptrdiff_t>(length));
    expect_exact_pairs<16>(part, {part, other}, 8, scores, {300, 7});
  }
}

// The same around 2047, with costs up to the most that eleven bits serve.
TEST(GpuTile, ElevenBitsAreExactUpToTheirLimit) {
  test::Random random(8);
  const Table scores = match_table(5, -4);
  const Codes query = random_codes(random, 600, 20), other = random_codes(random, 500, 20);
  for (const Costs costs : {Costs{11, 1}, {0, 1}, {1, 0}, {0, 1024}, {1023, 1}, {1024, 0}}) {
    ASSERT_TRUE(Pair11::serves(costs.open, costs.extend));
    // 408 * 5 = 2040, limit 2042, 409 * 5 = 2045.
    for (const std::size_t length : {407u, 408u, 409u, 410u, 600u}) {
      const Codes part(query.begin(), query.begin() + static_cast<std::ptrdiff_t>(length));
      expect_exact_in<Pair11, 16>(part, {part, other}, 8, scores, costs);
      expect_exact_in<Pair11, 24>(part, {other, part}, 32, scores, costs);
    }
  }
  EXPECT_FALSE(Pair11::serves(1024, 1));
}

TEST(GpuTile, ThirtyTwoBitsHoldWhatSixteenDoNot) {
  test::Random random(6);
  const Table scores = match_table(127, -3);
  const Codes query = random_codes(random, 1100, 4);
  Codes mutated = query;
  mutated.erase(mutated.begin() + 300, mutated.begin() + 310);
  mutated[700] ^= 1;
  const Codes shorter(query.begin() + 13, query.begin() + 500);
  for (const Costs costs : {Costs{11, 1}, {40000, 1}, {2000000000, 2000000000}})
    for (int half = 0; half < 2; ++half) {
      const std::vector<Codes> subjects{mutated, shorter};
      Database database(subjects);
      const auto best = sweep_query<Single32, 16>(query, database, 32, scores, costs, half);
      EXPECT_EQ(Single32::score(best[0], 0), gotoh(query, subjects[static_cast<std::size_t>(half)], scores, costs));
    }
}

TEST(GpuTile, AGapMayCrossFromTileToTile) {
  const Table scores = match_table(9, -9);
  test::Random random(7);
  // Tiles of 32 rows: the subject lacks the query's rows 20 to 109, so the gap runs through the borders of three tiles.
  const Codes query = random_codes(random, 160, alphabet_size);
  Codes subject = query;
  subject.erase(subject.begin() + 20, subject.begin() + 110);
  EXPECT_EQ(gotoh(query, subject, scores, {10, 1}), 70 * 9 - 10 - 90);
  expect_exact_pairs<4>(query, {subject, query}, 8, scores, {10, 1});
}

}  // namespace
}  // namespace speedwell::alignment

// The GPU search against a plain Gotoh of this file and against published scores. Tests whose name ends in Large are
// too big for the sanitizers: --gtest_filter=-*Large.
#include "speedwell/apps/alignment/gpu_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/gpu/search_plan.hpp"
#include "speedwell/apps/alignment/gpu_steps.hpp"
#include "speedwell/core/cuda.hpp"
#include "tests/apps/alignment/gpu_oracle.hpp"

namespace speedwell::alignment {
namespace {

using Codes = std::vector<std::uint8_t>;
using test::gotoh;

class GpuSearchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!core::have_device()) GTEST_SKIP() << "no GPU";
  }

  Codes random_codes(std::size_t length, std::size_t symbol_count) {
    return test::random_codes(random_, length, symbol_count);
  }
  SequenceSet random_set(Alphabet alphabet, const std::vector<std::size_t>& lengths) {
    return test::random_set(random_, alphabet, lengths);
  }
  std::vector<std::size_t> random_lengths(std::size_t count, std::size_t below) {
    return test::random_lengths(random_, count, below);
  }
  /// Part of `codes` with some residues changed, removed and added.
  Codes relative_of(const Codes& codes, int symbol_count) {
    Codes other;
    for (const std::uint8_t code : codes) {
      const unsigned what = random_() % 20;
      if (what == 0) continue;
      other.push_back(what == 1 ? static_cast<std::uint8_t>(random_() % static_cast<unsigned>(symbol_count)) : code);
      if (what == 2) other.insert(other.end(), random_() % 30, static_cast<std::uint8_t>(0));
    }
    return other;
  }

  test::Random random_{20261121};
};

void expect_scores(const std::vector<std::int32_t>& scores, const SequenceSet& queries, const SequenceSet& subjects,
                   const Scoring& scoring) {
  ASSERT_EQ(scores.size(), queries.size() * subjects.size());
  int wrong = 0;
  for (std::size_t q = 0; q < queries.size(); ++q)
    for (std::size_t s = 0; s < subjects.size(); ++s) {
      const std::int64_t expected = gotoh(queries.codes(q), subjects.codes(s), scoring);
      if (scores[q * subjects.size() + s] == expected) continue;
      ADD_FAILURE() << "query " << q << " of " << queries.length(q) << ", subject " << s << " of " << subjects.length(s)
                    << ", gaps " << scoring.gap_open << "," << scoring.gap_extend << ": "
                    << scores[q * subjects.size() + s] << ", not " << expected;
      if (++wrong == 5) return;
    }
}

void expect_exact(const SequenceSet& queries, const SequenceSet& subjects, const Scoring& scoring) {
  using Lanes = GpuSearch::Lanes;
  const auto scores = GpuSearch(subjects).search(queries, scoring);
  expect_scores(scores, queries, subjects, scoring);
  for (const Lanes lanes : {Lanes::eleven_bits, Lanes::sixteen_bits})
    EXPECT_EQ(GpuSearch(subjects, 0, lanes).search(queries, scoring), scores);
}

Scoring blosum62(int open = 11, int extend = 1) { return {named_matrix("BLOSUM62"), open, extend}; }
Scoring dna(int match, int mismatch, int open, int extend) { return {match_mismatch(match, mismatch), open, extend}; }

std::array<std::int8_t, code_limit * code_limit> constant_table(int same, int other) {
  std::array<std::int8_t, code_limit * code_limit> table;
  for (int i = 0; i < code_limit * code_limit; ++i)
    table[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i / code_limit == i % code_limit ? same : other);
  return table;
}

// Wide groups hold 128 rows a strip of 4, 1024 at most; a little work always goes to wide groups.
TEST_F(GpuSearchTest, LengthsAroundStripsAndTiles) {
  const SequenceSet queries =
      random_set(Alphabet::protein, {0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257, 1023, 1024, 1025, 1153});
  const SequenceSet subjects = random_set(Alphabet::protein, {0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 130, 333});
  expect_exact(queries, subjects, blosum62());
  expect_exact(subjects, queries, blosum62(5, 2));
}

// Many queries bring narrow groups: 32 rows a strip of 4, 256 at most. Long subjects stay with wide groups.
TEST_F(GpuSearchTest, ManyShortQueriesAndAFewLong) {
  std::vector<std::size_t> lengths = random_lengths(2600, 40);
  for (const std::size_t length : {31, 32, 33, 223, 224, 225, 255, 256, 257, 287, 288, 289, 512, 513, 545})
    lengths.push_back(length);
  const SequenceSet queries = random_set(Alphabet::protein, lengths);
  std::vector<std::size_t> subject_lengths = random_lengths(28, 40);
  for (const std::size_t length : {70, 131, 400, 1030}) subject_lengths.push_back(length);
  expect_exact(queries, random_set(Alphabet::protein, subject_lengths), blosum62());
}

TEST_F(GpuSearchTest, RelatedSequencesWithManyGaps) {
  SequenceSet queries(Alphabet::protein), subjects(Alphabet::protein);
  for (const std::size_t length : {50, 260, 300, 700}) {
    const Codes query = random_codes(length, 20);
    queries.add_codes("q", query);
    for (int i = 0; i < 3; ++i) subjects.add_codes("s", relative_of(query, 20));
  }
  for (const auto& [open, extend] : {std::pair{0, 1}, {1, 0}, {11, 1}, {40, 40}, {0, 40}, {3, 0}, {100000, 100000}})
    expect_exact(queries, subjects, blosum62(open, extend));
}

// Every pair of costs that a kernel has in its code, and one that none has.
TEST_F(GpuSearchTest, CostsInCode) {
  const SequenceSet subjects = random_set(Alphabet::protein, random_lengths(40, 300));
  const SequenceSet queries = random_set(Alphabet::protein, random_lengths(6, 300));
  for (const auto& [open, extend] : {std::pair{11, 1}, {5, 2}, {10, 2}, {9, 3}})
    expect_exact(queries, subjects, {named_matrix("BLOSUM62"), open, extend});
}

TEST_F(GpuSearchTest, Dna) {
  const SequenceSet queries = random_set(Alphabet::dna, {150, 151, 100, 20});
  const SequenceSet subjects = random_set(Alphabet::dna, {1000, 999, 160, 150, 7});
  expect_exact(queries, subjects, dna(2, -3, 5, 2));
  expect_exact(queries, subjects, dna(1, -1, 0, 1));
  expect_exact(queries, subjects, {named_matrix("NUC.4.4"), 10, 1});
}

TEST_F(GpuSearchTest, MatricesOfOneSign) {
  const SequenceSet queries = random_set(Alphabet::protein, {40, 70});
  const SequenceSet subjects = random_set(Alphabet::protein, {33, 80, 64});
  for (const auto& [same, other] : {std::pair{-1, -128}, {0, 0}, {1, 1}, {127, 100}})
    expect_exact(queries, subjects, {{"constant", Alphabet::protein, constant_table(same, other)}, 11, 1});
}

TEST_F(GpuSearchTest, EmptySetsAndSequences) {
  const SequenceSet none(Alphabet::protein);
  const SequenceSet some = random_set(Alphabet::protein, {10, 0, 5});
  const SequenceSet empties = random_set(Alphabet::protein, {0, 0, 0});
  EXPECT_TRUE(GpuSearch(none).search(some, blosum62()).empty());
  EXPECT_TRUE(GpuSearch(some).search(none, blosum62()).empty());
  EXPECT_TRUE(GpuSearch(none).search(none, blosum62()).empty());
  EXPECT_EQ(GpuSearch(empties).search(some, blosum62()), std::vector<std::int32_t>(9, 0));
  EXPECT_EQ(GpuSearch(some).search(empties, blosum62()), std::vector<std::int32_t>(9, 0));
}

TEST_F(GpuSearchTest, OneQueryOneSubject) {
  for (const std::size_t length : {1, 17, 500})
    expect_exact(random_set(Alphabet::protein, {length}), random_set(Alphabet::protein, {length + 3}), blosum62());
}

// 127 a match: 258 matches are beyond 16 bits. Odd counts, so one pair has no second subject; both the first and the
// second of a pair overflow, alone and together; queries of more than one 32-bit tile (512 rows).
TEST_F(GpuSearchTest, ScoresBeyond16Bits) {
  const Scoring scoring{{"large", Alphabet::protein, constant_table(127, -30)}, 60, 3};
  SequenceSet queries(Alphabet::protein), subjects(Alphabet::protein);
  for (const std::size_t length : {257, 258, 259, 300, 511, 600, 1100}) {
    const Codes query = random_codes(length, 25);
    queries.add_codes("q", query);
    subjects.add_codes("same", query);
    subjects.add_codes("related", relative_of(query, 25));
    subjects.add_codes("other", random_codes(length, 25));
  }
  expect_exact(queries, subjects, scoring);
}

TEST_F(GpuSearchTest, ManySubjectsOfAFewResidues) {
  const SequenceSet subjects = random_set(Alphabet::protein, random_lengths(70001, 6));
  expect_exact(random_set(Alphabet::protein, {9, 3}), subjects, blosum62());
}

TEST_F(GpuSearchTest, OneSearchAfterAnother) {
  const SequenceSet subjects = random_set(Alphabet::protein, random_lengths(101, 90));
  GpuSearch search(subjects);
  for (const std::size_t count : {3, 1, 40}) {
    const SequenceSet queries = random_set(Alphabet::protein, random_lengths(count, 300));
    const Scoring scoring = blosum62(static_cast<int>(count), 1);
    expect_scores(search.search(queries, scoring), queries, subjects, scoring);
  }
}

// Poisoned before, so that nothing of the first round is left; some scores need 32 bits.
TEST_F(GpuSearchTest, RepeatedPiecesGiveTheSameScores) {
  const Scoring scoring{{"large", Alphabet::protein, constant_table(127, -128)}, 60, 3};
  SequenceSet queries = random_set(Alphabet::protein, {300, 20, 520}), subjects(Alphabet::protein);
  for (std::size_t q = 0; q < queries.size(); ++q) subjects.add_codes("same", queries.codes(q));
  GpuSearch search(subjects);
  const core::Stream stream;
  GpuSearchSteps steps(search, queries, scoring);
  steps.upload(stream);
  for (int round = 0; round < 3; ++round) {
    steps.poison(stream);
    EXPECT_EQ(steps.scores()[0], -1);
    steps.enqueue(stream);
    steps.download(stream);
    expect_scores({steps.scores().begin(), steps.scores().end()}, queries, subjects, scoring);
  }
}

TEST_F(GpuSearchTest, PublishedProteinScores) {
  SequenceSet queries(Alphabet::protein), subjects(Alphabet::protein);
  queries.add(
      "HBA_HUMAN", "",
      "MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALSDLHAHKLRVDPVNFKLLSHC"
      "LLVTLAAHLPAEFTPAVHASLDKFLASVSTVLTSKYR");
  subjects.add(
      "HBB_HUMAN", "",
      "MVHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKVKAHGKKVLGAFSDGLAHLDNLKGTFATLSELHCDKLHVDPENF"
      "RLLGNVLVCVLAHHFGKEFTPPVQAAYQKVVAGVANALAHKYH");
  queries.add("IFNA2_HUMAN", "",
              "MALTFALLVALLVLSCKSSCSVGCDLPQTHSLGSRRTLMLLAQMRKISLFSCLKDRHDFGFPQEEFGNQFQKAETIPVLHEMIQQIFNLFSTKDSSAAWDETLL"
              "DKFYTELYQQLNDLEACVIQGVGVTETPLMKEDSILAVRKYFQRITLYLKEKKYSPCAWEVVRAEIMRSFSLSTNLQESLRSKE");
  subjects.add(
      "ARF3_HUMAN", "",
      "MGNIFGNLLKSLIGKKEMRILMVGLDAAGKTTILYKLKLGEIVTTIPTIGFNVETVEYKNISFTVWDVGGQDKIRPLWRHYFQNTQGLIFVVDSNDRERVNEAR"
      "EELMRMLAEDELRDAVLLVFANKQDLPNAMNAAEITDKLGLHSLRHRNWYIQATCATSGDGLYEGLDWLANQLKNKK");
  GpuSearch search(subjects);
  const auto of_pairs = [&](const Scoring& scoring) {
    const auto scores = search.search(queries, scoring);
    return std::pair{scores[0], scores[3]};
  };
  EXPECT_EQ(of_pairs(blosum62()), (std::pair{285, 22}));
  EXPECT_EQ(of_pairs({named_matrix("BLOSUM50"), 10, 2}), (std::pair{381, 33}));
  EXPECT_EQ(of_pairs({named_matrix("PAM250"), 14, 2}), (std::pair{323, 37}));
  EXPECT_EQ(of_pairs({named_matrix("BLOSUM80-3"), 10, 1}), (std::pair{468, 55}));
  EXPECT_EQ(of_pairs({named_matrix("BLOSUM45"), 14, 2}), (std::pair{353, 29}));
}

/// The reproducible sequences of the published scores below: x <- 1220703125 x mod 2^46, u = x / 2^46.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : x_(seed) {}
  double next() { return static_cast<double>(step()) / static_cast<double>(modulus); }
  std::string text(std::size_t length, const std::string& symbols) {
    std::string text(length, ' ');
    for (char& residue : text) residue = symbols[(symbols.size() * step()) >> 46];
    return text;
  }

 private:
  static constexpr std::uint64_t modulus = std::uint64_t{1} << 46;
  std::uint64_t step() { return x_ = x_ * 1220703125u % modulus; }  // the wrap at 2^64 leaves the low 46 bits right
  std::uint64_t x_;
};

std::string mutated(const std::string& text, std::uint64_t seed) {
  const std::string bases = "ACGT";
  Generator generator(seed);
  std::string out;
  for (const char base : text) {
    const double u = generator.next();
    if (u < 0.01) continue;
    if (u < 0.02) {
      out += bases[static_cast<std::size_t>(4 * generator.next())];
      out += base;
    } else if (u < 0.12) {
      const std::size_t k = 1 + static_cast<std::size_t>(3 * generator.next());
      out += bases[(bases.find(base) + k) % 4];
    } else {
      out += base;
    }
  }
  return out;
}

struct PublishedDna {
  Scoring scoring;
  std::int32_t related, unrelated;  // of A with B and with C
};

void expect_published(std::size_t n, std::size_t length_of_b, const std::vector<PublishedDna>& published) {
  const std::string a = Generator(314159265).text(n, "ACGT");
  const std::string b = mutated(a, 271828183);
  ASSERT_EQ(b.size(), length_of_b);
  SequenceSet queries(Alphabet::dna), subjects(Alphabet::dna);
  queries.add("A", "", a);
  subjects.add("B", "", b);
  subjects.add("C", "", Generator(271828183).text(n, "ACGT"));
  GpuSearch search(subjects);
  for (const auto& [scoring, related, unrelated] : published) {
    const std::vector<std::int32_t> expected{related, unrelated};
    EXPECT_EQ(search.search(queries, scoring), expected) << n << ", " << scoring.matrix.name();
  }
}

TEST_F(GpuSearchTest, PublishedSyntheticScores) {
  expect_published(1000, 995,
                   {{dna(5, -3, 8, 1), 3964, 914}, {dna(2, -3, 5, 2), 1336, 18}, {dna(1, -3, 5, 2), 447, 9}});
  SequenceSet p(Alphabet::protein), q(Alphabet::protein);
  p.add("P", "", Generator(314159265).text(1000, "ARNDCQEGHILKMFPSTWYV"));
  q.add("Q", "", Generator(271828183).text(1000, "ARNDCQEGHILKMFPSTWYV"));
  EXPECT_EQ(GpuSearch(q).search(p, blosum62()), std::vector<std::int32_t>{51});
}

TEST_F(GpuSearchTest, PublishedSyntheticScoresLarge) {
  expect_published(10000, 10006,
                   {{dna(5, -3, 8, 1), 39772, 9354}, {dna(2, -3, 5, 2), 13435, 28}, {dna(1, -3, 5, 2), 4541, 12}});
  expect_published(100000, 100044, {{dna(5, -3, 8, 1), 398447, 94656}, {dna(2, -3, 5, 2), 134921, 35}});
}

TEST_F(GpuSearchTest, OneVeryLongSubjectAmongShortLarge) {
  SequenceSet subjects = random_set(Alphabet::protein, random_lengths(300, 400));
  const Codes giant = random_codes(30000, 20);
  subjects.add_codes("giant", giant);
  SequenceSet queries = random_set(Alphabet::protein, {360, 2000});
  queries.add_codes("part of the giant", {giant.begin() + 9000, giant.begin() + 9700});
  queries.add_codes("most of the giant", {giant.begin() + 100, giant.begin() + 9100});  // beyond 16 bits
  expect_exact(queries, subjects, blosum62());
}

TEST_F(GpuSearchTest, ManySubjectsLarge) {
  const SequenceSet subjects = random_set(Alphabet::protein, random_lengths(20001, 300));
  expect_exact(random_set(Alphabet::protein, {360, 100}), subjects, blosum62());
}

TEST_F(GpuSearchTest, RefusesWhatCannotFitBeforeTakingMemory) {
  SequenceSet many(Alphabet::protein);
  for (int i = 0; i < 400000; ++i) many.add_codes("", {});
  expect_exact(random_set(Alphabet::protein, {5}), random_set(Alphabet::protein, {5}),
               blosum62());  // loads the kernels
  GpuSearch search(many);    // 1.6e11 scores of 4 bytes
  std::size_t before = 0, after = 0, total = 0;
  core::check(cudaMemGetInfo(&before, &total));
  try {
    GpuSearchSteps(search, many, blosum62());
    FAIL() << "640 GB were taken";
  } catch (const core::Unavailable& error) {
    EXPECT_NE(std::string(error.what()).find(" bytes of device memory"), std::string::npos) << error.what();
  }
  core::check(cudaMemGetInfo(&after, &total));
  EXPECT_LT(before, after + (std::size_t{64} << 20));
}

TEST_F(GpuSearchTest, ADeviceThatIsNotThere) {
  const SequenceSet subjects = random_set(Alphabet::protein, {5});
  EXPECT_THROW(GpuSearch(subjects, -1), core::Unavailable);
  EXPECT_THROW(GpuSearch(subjects, core::device_count()), core::Unavailable);
}

}  // namespace
}  // namespace speedwell::alignment

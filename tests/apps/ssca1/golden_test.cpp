// The reference of each kernel against published and independently computed results.
#include "tests/apps/ssca1/golden.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "speedwell/apps/ssca1/verify/reference.hpp"

namespace speedwell::ssca1 {
namespace {

using namespace test;

TEST(Ssca1Data, TheFirstDrawsAndTheStringsAreWhereTheyBelong) {
  const Data plain = make_data({.main_length = 8, .match_length = 8, .validation_strings = false});
  EXPECT_EQ(std::vector<int>(plain.main.begin(), plain.main.end()), (std::vector<int>{50, 55, 41, 50, 1, 25, 51, 25}));
  EXPECT_EQ(std::vector<int>(plain.match.begin(), plain.match.end()),
            (std::vector<int>{29, 50, 35, 42, 31, 38, 59, 32}));

  const Data data = golden_data(512);
  EXPECT_EQ(data.main.size(), 675u);
  EXPECT_EQ(data.match.size(), 675u);
  const std::int64_t starts[] = {74, 173, 272, 368, 467, 570};
  for (std::size_t p = 0; p < 6; ++p) {
    const ValidationString& string = validation_strings()[p];
    const auto at = static_cast<std::size_t>(starts[p] - 1);
    const std::vector<std::uint8_t> in_main = main_codons(string), in_match = match_codons(string);
    EXPECT_TRUE(std::equal(in_main.begin(), in_main.end(), data.main.begin() + at)) << "string " << p + 1;
    EXPECT_TRUE(std::equal(in_match.begin(), in_match.end(), data.match.begin() + at)) << "string " << p + 1;
    EXPECT_EQ(data.strings[p].main_begin, starts[p] + 6);
    for (std::size_t k = 0; k < in_main.size(); ++k) EXPECT_EQ(acid_of(in_main[k]), string.main[k]);
  }
  const Data large = golden_data(2048);
  EXPECT_EQ(large.main.size(), 2211u);
  const std::int64_t later[] = {293, 612, 930, 1246, 1564, 1887};
  for (std::size_t p = 0; p < 6; ++p) EXPECT_EQ(large.strings[p].match_begin, later[p] + 6);
}

TEST(Ssca1Data, IsTheSameForAnyNumberOfThreadsAndLengths) {
  const Data one = make_data({.main_length = 200000, .match_length = 70001, .threads = 1});
  for (const int threads : {2, 3, 7}) {
    const Data many = make_data({.main_length = 200000, .match_length = 70001, .threads = threads});
    EXPECT_TRUE(std::equal(one.main.begin(), one.main.end(), many.main.begin(), many.main.end()));
    EXPECT_TRUE(std::equal(one.match.begin(), one.match.end(), many.match.begin(), many.match.end()));
  }
  // Drawn one after another, without skipping ahead.
  std::uint64_t x = 314159265;
  const Data plain = make_data({.main_length = 100000, .match_length = 0, .validation_strings = false, .threads = 3});
  for (std::size_t k = 0; k < plain.main.size(); ++k) {
    x = x * 1220703125 % (std::uint64_t{1} << 46);
    ASSERT_EQ(plain.main[k], x >> 40) << k;
  }
  const Data nucleotides = make_data(
      {.alphabet = Alphabet::nucleotides, .main_length = 1000, .match_length = 0, .validation_strings = false});
  EXPECT_EQ(*std::max_element(nucleotides.main.begin(), nucleotides.main.end()), 3);
  EXPECT_THROW(make_data({.alphabet = Alphabet::nucleotides}), std::invalid_argument);
  EXPECT_THROW(make_data({.main_seed = 2}), std::invalid_argument);
  EXPECT_THROW(make_data({.main_length = -1}), std::invalid_argument);
}

TEST(Ssca1Scoring, PresetsAndSimilarCodons) {
  const Scoring codons = scoring(Preset::ssca1, Alphabet::codons);
  const auto score = [&](const char* a, const char* b) { return codons.score(codon_code(a), codon_code(b)); };
  EXPECT_EQ(score("gct", "gct"), 5);
  EXPECT_EQ(score("gct", "gcg"), 4);
  EXPECT_EQ(score("taa", "tga"), 4);
  EXPECT_EQ(score("agt", "tct"), 4);
  EXPECT_EQ(score("atg", "att"), -3);
  EXPECT_EQ(scoring(Preset::dissertation, Alphabet::codons).score(codon_code("gct"), codon_code("gcg")), -3);
  EXPECT_EQ(scoring(Preset::ornl, Alphabet::codons).gap_open(), 5);
  EXPECT_EQ(scoring(Preset::ornl, Alphabet::codons).gap_extend(), 2);
  int codes = 0;
  for (const char acid : std::string_view("ACDEFGHIKLMNPQRSTVWY*")) codes += static_cast<int>(codons_of(acid).size());
  EXPECT_EQ(codes, 64);
  for (int code = 0; code < 64; ++code) EXPECT_EQ(codon_code(codon_bases(code)), code);
  EXPECT_THROW(codons_of('B'), std::invalid_argument);
  EXPECT_THROW(parse_codons("gctg"), std::invalid_argument);
  EXPECT_THROW(preset_named("ssca"), std::invalid_argument);
  EXPECT_EQ(preset_named("ornl"), Preset::ornl);
  EXPECT_THROW(Scoring("x", 2, {1, 2, 3}, 1, 1), std::invalid_argument);
  EXPECT_THROW(flat_scoring(4, 1, -1, -1, 1), std::invalid_argument);
}

TEST(Ssca1Reference, TheWorkedExampleOfTheDissertation) {
  const auto main = base_codes(example_main), match = base_codes(example_match);
  const Scoring flat = scoring(Preset::dissertation, Alphabet::nucleotides);
  const reference::Table t = reference::table(main, match, flat);
  for (std::int64_t i = 0; i < 15; ++i)
    for (std::int64_t j = 0; j < 14; ++j) {
      EXPECT_EQ(t.at(t.h, i, j), example_h[i][j]) << i << "," << j;
      if (i > 0 && j > 0) {
        EXPECT_EQ(t.at(t.f, i, j), example_f[i - 1][j - 1]) << i << "," << j;
      }
    }
  EXPECT_EQ(std::accumulate(t.h.begin(), t.h.end(), std::int64_t{0}), 667);
}

TEST(Ssca1Reference, SumsAndCandidatesOfRandomCodons) {
  struct Case {
    Preset preset;
    std::int64_t sum;
    std::int32_t maximum;
    std::int64_t main, match;
    std::size_t candidates;
  };
  const Data data = make_data({.main_length = 2048, .match_length = 2048, .validation_strings = false});
  for (const Case& c :
       {Case{Preset::dissertation, 480436, 15, 55, 272, 0}, {Preset::ssca1, 1648406, 23, 935, 1661, 7}}) {
    const Scoring s = scoring(c.preset, Alphabet::codons);
    const reference::Table t = reference::table(data.main.span(), data.match.span(), s);
    EXPECT_EQ(std::accumulate(t.h.begin(), t.h.end(), std::int64_t{0}), c.sum);
    const auto all = reference::candidates(data.main.span(), data.match.span(), s, {.minimum_score = 1});
    EXPECT_EQ(all.front(), (Endpoint{c.maximum, c.main, c.match}));
    EXPECT_EQ(reference::candidates(data.main.span(), data.match.span(), s, {}).size(), c.candidates);
  }
  for (const auto& [length, sum] : {std::pair<std::int64_t, std::int64_t>{512, 333637}, {2048, 2038159}}) {
    const Data strings = golden_data(length);
    const reference::Table t =
        reference::table(strings.main.span(), strings.match.span(), scoring(Preset::ssca1, Alphabet::codons));
    EXPECT_EQ(std::accumulate(t.h.begin(), t.h.end(), std::int64_t{0}), sum);
  }
}

}  // namespace
}  // namespace speedwell::ssca1

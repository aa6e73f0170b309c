// Every implementation of kernels 1 to 5 against published and independently computed results.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "speedwell/apps/alignment/alignment.hpp"
#include "tests/apps/ssca1/golden.hpp"
#include "tests/apps/ssca1/implementations.hpp"

namespace speedwell::ssca1 {
namespace {

using namespace test;

using Triples = std::vector<std::vector<std::int64_t>>;

Triples triples(std::span<const Endpoint> list, std::size_t count = SIZE_MAX) {
  Triples made;
  for (std::size_t k = 0; k < std::min(count, list.size()); ++k)
    made.push_back({list[k].score, list[k].main, list[k].match});
  return made;
}
Triples triples(const std::vector<SimilarRegion>& regions) {
  Triples made;
  for (const SimilarRegion& p : regions) made.push_back({p.score, p.begin, p.end});
  return made;
}
Triples match_first(std::span<const Endpoint> list) {
  Triples made;
  for (const Endpoint& e : list) made.push_back({e.score, e.match, e.main});
  return made;
}

class Ssca1Golden : public ::testing::TestWithParam<Implementation> {
 protected:
  const Implementation& use = GetParam();
  const Scoring codons = scoring(Preset::ssca1, Alphabet::codons);
};
class Ssca1Endpoints : public Ssca1Golden {};
class Ssca1ManyCandidates : public Ssca1Golden {};

TEST_P(Ssca1Endpoints, WorkedExample) {
  const auto main = base_codes(example_main), match = base_codes(example_match);
  const Scoring flat = scoring(Preset::dissertation, Alphabet::nucleotides);
  const Endpoints plain =
      use.pairwise_align(main, match, flat, {.mode = EndpointRules::Mode::plain, .minimum_score = 10});
  EXPECT_EQ(match_first(plain.accepted), (Triples{{18, 11, 9},
                                                  {15, 6, 5},
                                                  {15, 12, 5},
                                                  {15, 12, 10},
                                                  {13, 10, 8},
                                                  {12, 7, 6},
                                                  {12, 13, 6},
                                                  {12, 13, 11},
                                                  {11, 8, 6},
                                                  {11, 9, 11},
                                                  {10, 7, 2},
                                                  {10, 5, 4},
                                                  {10, 11, 4},
                                                  {10, 9, 6},
                                                  {10, 13, 8},
                                                  {10, 5, 9},
                                                  {10, 13, 13}}));
  EXPECT_EQ(use.pairwise_align(main, match, flat, {.mode = EndpointRules::Mode::plain, .minimum_score = 9}).candidates,
            23);
  const Endpoints first =
      use.pairwise_align(main, match, flat, {.mode = EndpointRules::Mode::plain, .minimum_score = 1, .count = 5});
  EXPECT_EQ(match_first(first.accepted), match_first(std::span(plain.accepted).first(5)));

  const Endpoints peaks = use.pairwise_align(main, match, flat, {.minimum_score = 10, .separation = 1});
  EXPECT_EQ(match_first(peaks.accepted), (Triples{{18, 11, 9},
                                                  {15, 6, 5},
                                                  {15, 12, 5},
                                                  {11, 8, 6},
                                                  {11, 9, 11},
                                                  {10, 7, 2},
                                                  {10, 9, 6},
                                                  {10, 13, 8},
                                                  {10, 5, 9},
                                                  {10, 13, 13}}));
  const Endpoints apart5 = use.pairwise_align(main, match, flat, {.minimum_score = 1, .separation = 5});
  EXPECT_EQ(apart5.candidates, 38);
  EXPECT_EQ(match_first(apart5.accepted), (Triples{{18, 11, 9}, {15, 6, 5}, {7, 13, 3}, {5, 1, 2}, {5, 3, 10}}));
  const Endpoints apart3 = use.pairwise_align(main, match, flat, {.minimum_score = 1, .separation = 3});
  EXPECT_EQ(match_first(apart3.accepted), (Triples{{18, 11, 9},
                                                   {15, 6, 5},
                                                   {15, 12, 5},
                                                   {10, 7, 2},
                                                   {10, 9, 6},
                                                   {10, 5, 9},
                                                   {10, 13, 13},
                                                   {9, 10, 13},
                                                   {8, 14, 8},
                                                   {6, 7, 12},
                                                   {5, 11, 1},
                                                   {5, 1, 2},
                                                   {5, 3, 6},
                                                   {5, 1, 12},
                                                   {5, 4, 13}}));
}

TEST_P(Ssca1Endpoints, CodonData) {
  const Data small = golden_data(512);
  const Endpoints found = use.pairwise_align(small.main.span(), small.match.span(), codons, {});
  EXPECT_EQ(found.candidates, 237);
  EXPECT_EQ(found.accepted.size(), 93u);
  EXPECT_EQ(triples(found.accepted, 20),
            (Triples{{57, 93, 93},   {56, 192, 192}, {55, 288, 288}, {54, 387, 387}, {53, 490, 490},
                     {52, 595, 595}, {46, 199, 193}, {44, 486, 483}, {43, 497, 491}, {42, 96, 101},
                     {42, 105, 94},  {41, 101, 106}, {41, 397, 388}, {40, 195, 201}, {40, 390, 394},
                     {39, 94, 108},  {39, 206, 193}, {39, 597, 611}, {38, 204, 198}, {38, 605, 597}}));
  const Data large = golden_data(2048);
  const Endpoints more = use.pairwise_align(large.main.span(), large.match.span(), codons, {});
  EXPECT_EQ(more.candidates, 208);
  EXPECT_EQ(more.accepted.size(), 88u);
  EXPECT_EQ(triples(more.accepted, 20),
            (Triples{{57, 312, 312},   {56, 631, 631},   {55, 946, 946},   {54, 1265, 1265}, {53, 1587, 1587},
                     {52, 1912, 1912}, {44, 322, 313},   {44, 632, 641},   {44, 1583, 1580}, {43, 315, 319},
                     {43, 953, 958},   {43, 1591, 1596}, {42, 1916, 1920}, {41, 948, 956},   {41, 1919, 1914},
                     {40, 948, 963},   {40, 1598, 1588}, {39, 1265, 1272}, {38, 954, 950},   {37, 321, 321}}));
}

TEST_P(Ssca1ManyCandidates, TenThousandRandomCodons) {
  const Data data = make_data({.main_length = 10000, .match_length = 10000, .validation_strings = false});
  const EndpointRules rules{.separation = 0, .count = 1000};
  const auto histogram = [&](const Endpoints& found) {
    std::map<std::int32_t, int> count;
    for (const Endpoint& e : found.accepted) ++count[e.score];
    return count;
  };
  const Endpoints flat =
      use.pairwise_align(data.main.span(), data.match.span(), scoring(Preset::dissertation, Alphabet::codons), rules);
  EXPECT_EQ(histogram(flat), (std::map<std::int32_t, int>{{20, 8}, {22, 2}}));
  const Endpoints similar = use.pairwise_align(data.main.span(), data.match.span(), codons, rules);
  EXPECT_EQ(histogram(similar),
            (std::map<std::int32_t, int>{
                {20, 86}, {21, 44}, {22, 30}, {23, 18}, {24, 6}, {25, 1}, {26, 2}, {27, 1}, {28, 1}}));
  EXPECT_EQ(similar.accepted.front(), (Endpoint{28, 7640, 6822}));
}

// 10^9 cells: for the fast ones alone.
TEST(Ssca1Sections, CandidatesOf32768RandomCodons) {
  const Data data = make_data({.main_length = 32768, .match_length = 32768, .validation_strings = false});
  const EndpointRules rules{.separation = 0, .count = 3000};
  using Histogram = std::map<std::int32_t, int>;
  const std::pair<Preset, Histogram> expected[] = {
      {Preset::dissertation, {{20, 61}, {21, 1}, {22, 5}, {23, 1}, {24, 1}, {25, 1}}},
      {Preset::ssca1,
       {{20, 733},
        {21, 446},
        {22, 346},
        {23, 169},
        {24, 83},
        {25, 43},
        {26, 30},
        {27, 7},
        {28, 8},
        {30, 1},
        {31, 3},
        {33, 1}}}};
  for (const auto& [preset, wanted] : expected) {
    const Endpoints found =
        pairwise_align(data.main.span(), data.match.span(), scoring(preset, Alphabet::codons), rules);
    Histogram count;
    for (const Endpoint& e : found.accepted) ++count[e.score];
    EXPECT_EQ(count, wanted);
    EXPECT_EQ(found.accepted.front(),
              preset == Preset::ssca1 ? (Endpoint{33, 10148, 16401}) : (Endpoint{25, 29277, 2449}));
  }
}

struct Row {
  std::int32_t score;
  std::int64_t main_begin, main_end, match_begin, match_end;
  std::string main_acids, match_acids;
};

Row row_of(const Data& data, const LocalAlignment& a) {
  Row row{a.score, a.main_begin, a.main_end, a.match_begin, a.match_end, "", ""};
  std::size_t j = static_cast<std::size_t>(a.main_begin - 1), i = static_cast<std::size_t>(a.match_begin - 1);
  for (const CigarRun& run : a.cigar)
    for (std::int64_t k = 0; k < run.length; ++k) {
      row.main_acids += run.operation == 'I' ? '-' : acid_of(data.main[j++]);
      row.match_acids += run.operation == 'D' ? '-' : acid_of(data.match[i++]);
    }
  return row;
}

TEST_P(Ssca1Golden, AlignmentsOfTheCodonData) {
  const Data small = golden_data(512);
  const auto few = reference::pairwise_align(small.main.span(), small.match.span(), codons, {}).accepted;
  const Traced strings = use.trace(small.main.span(), small.match.span(), codons, few, {});
  ASSERT_EQ(strings.alignments.size(), 6u);
  const std::int64_t spans[6][3] = {{80, 93, 57},   {179, 192, 56}, {278, 288, 55},
                                    {374, 387, 54}, {473, 490, 53}, {576, 595, 52}};
  for (std::size_t p = 0; p < 6; ++p) {
    const LocalAlignment& a = strings.alignments[p];
    EXPECT_EQ((std::vector<std::int64_t>{a.main_begin, a.main_end, a.score}),
              (std::vector<std::int64_t>(spans[p], spans[p] + 3)));
    EXPECT_EQ(a.match_begin, a.main_begin);
    EXPECT_EQ(a.match_end, a.main_end);
  }
  EXPECT_EQ(alignment::cigar_string(strings.alignments[4].cigar), "6=3D5=3I4=");

  const Data large = golden_data(2048);
  const auto all = reference::pairwise_align(large.main.span(), large.match.span(), codons, {}).accepted;
  const Traced traced = use.trace(large.main.span(), large.match.span(), codons, all, {});
  const std::vector<Row> expected = {
      {57, 299, 312, 299, 312, "*SIMILARTESTS*", "*SIMILARTESTS*"},
      {56, 618, 631, 618, 631, "*PARTIALCASES*", "*PARTIALCASES*"},
      {55, 936, 946, 936, 946, "*IDENTICAL*", "*IDENTICAL*"},
      {54, 1252, 1265, 1252, 1265, "*MISQRMATCHES*", "*MISRQMATCHES*"},
      {53, 1570, 1587, 1570, 1587, "*STARTGAPMIDST---END*", "*START---MIDSTGAPEND*"},
      {52, 1893, 1912, 1893, 1912, "*EVENLESSWKDPALIGNS*", "*EVENLESSTVMFALIGNS*"},
      {23, 1001, 1010, 1783, 1792, "LYVCYDPFLQ", "LYVKIDPKLQ"},
      {23, 1276, 1285, 936, 945, "*IPTNIICAL", "*IDENTICAL"},
      {22, 1660, 1664, 361, 365, "VSSLL", "VSSLL"},
      {21, 1434, 1438, 426, 430, "TGRLL", "TGRLL"},
      {20, 1129, 1134, 1120, 1125, "PCAGLG", "PCAGQG"},
      {20, 1493, 1498, 1874, 1879, "SGAYPS", "SGA*PS"},
      {20, 2042, 2047, 134, 139, "PGTH*E", "PGSH*E"},
  };
  ASSERT_EQ(traced.alignments.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const Row row = row_of(large, traced.alignments[k]);
    const Row& e = expected[k];
    EXPECT_EQ(std::tie(row.score, row.main_begin, row.main_end, row.match_begin, row.match_end, row.main_acids,
                       row.match_acids),
              std::tie(e.score, e.main_begin, e.main_end, e.match_begin, e.match_end, e.main_acids, e.match_acids))
        << "alignment " << k;
  }
  EXPECT_EQ(triples(traced.close_starts),
            (Triples{{44, 1583, 1580}, {36, 1901, 1901}, {32, 1578, 1583}, {30, 1575, 1575}, {20, 1255, 1255}}));
  EXPECT_EQ(traced.without_path, 70);
  EXPECT_EQ(traced.single_pairs, 0);
}

TEST_P(Ssca1Golden, AlignmentOfTheWorkedExample) {
  const auto main = base_codes(example_main), match = base_codes(example_match);
  const Traced traced = use.trace(main, match, scoring(Preset::dissertation, Alphabet::nucleotides), {{18, 9, 11}}, {});
  ASSERT_EQ(traced.alignments.size(), 1u);
  const LocalAlignment& a = traced.alignments[0];
  EXPECT_EQ((std::vector<std::int64_t>{a.main_begin, a.main_end, a.match_begin, a.match_end}),
            (std::vector<std::int64_t>{3, 9, 4, 11}));
  EXPECT_EQ(alignment::cigar_string(a.cigar), "3=1I1=1X2=");
}

TEST_P(Ssca1Golden, SimilarRegionsAndTheirDifferencesInTheCodonData) {
  const Data data = golden_data(2048);
  const auto ends = reference::pairwise_align(data.main.span(), data.match.span(), codons, {}).accepted;
  const Traced traced = reference::scan_backward(data.main.span(), data.match.span(), codons, ends, {});
  const std::vector<Triples> expected = {{{57, 299, 312}},
                                         {{56, 618, 631}},
                                         {{55, 936, 946}, {20, 1276, 1286}},
                                         {{54, 1252, 1265}},
                                         {{53, 1570, 1587}},
                                         {{52, 1893, 1912}},
                                         {{23, 1001, 1010}},
                                         {{50, 936, 945}, {23, 1276, 1285}},
                                         {{22, 1660, 1664}},
                                         {{21, 1434, 1438}, {13, 1714, 1718}},
                                         {{20, 1129, 1134}, {11, 127, 132}},
                                         {{20, 1493, 1498}},
                                         {{20, 2042, 2047}}};
  ASSERT_EQ(traced.alignments.size(), expected.size());
  const std::map<std::size_t, std::pair<int, int>> differences = {
      {2, {260, 13}}, {7, {220, 11}}, {9, {100, 5}}, {10, {140, 7}}};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const Codes query = match_parts(data.match.span(), std::span(traced.alignments).subspan(k, 1))[0];
    const auto regions = use.locate_similar(data.main.span(), query, codons, {.count = 10});
    EXPECT_EQ(triples(regions), expected[k]) << "set " << k + 1;
    if (!differences.contains(k)) continue;
    const Members set = members(data.main.span(), regions, Alphabet::codons);
    EXPECT_EQ(use.differences(set, {})(0, 1), differences.at(k).first) << "set " << k + 1;
    EXPECT_EQ(use.differences(set, {1, 2})(1, 0), differences.at(k).second) << "set " << k + 1;
  }
}

TEST_P(Ssca1Golden, TheFamily) {
  const auto main = parse_codons(family_main), query = parse_codons(family_query);
  ASSERT_EQ(main.size(), 169u);
  const auto regions = use.locate_similar(main, query, codons, {});
  EXPECT_EQ(triples(regions),
            (Triples{{60, 15, 26}, {52, 41, 52}, {51, 119, 130}, {50, 91, 104}, {40, 67, 76}, {38, 145, 155}}));
  const auto more = triples(use.locate_similar(main, query, codons, {.minimum_score = -1000, .count = 7}));
  ASSERT_EQ(more.size(), 7u);
  EXPECT_EQ(more[6], (std::vector<std::int64_t>{-9, 3, 8}));

  auto in_order = regions;
  std::sort(in_order.begin(), in_order.end(),
            [](const SimilarRegion& a, const SimilarRegion& b) { return a.begin < b.begin; });
  const Members family = members(main, in_order, Alphabet::codons);
  const Differences d = use.differences(family, {}), d12 = use.differences(family, {1, 2});
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_EQ(d(i, j), family_differences[i][j]) << i << "," << j;
      EXPECT_EQ(d12(i, j), family_differences_1_2[i][j]) << i << "," << j;
    }
  for (const auto& [costs, sum] : {std::pair<DifferenceCosts, std::int64_t>{{}, 3030}, {{1, 2}, 189}}) {
    const StarAlignment star = use.star(family, costs);
    EXPECT_EQ(star.order, (std::vector<std::size_t>{0, 1, 4, 5, 2, 3}));
    EXPECT_EQ(star.sum_of_pairs, sum);
    EXPECT_EQ(sum_of_pairs(star.rows, costs), sum);
    ASSERT_EQ(star.rows.size(), 6u);
    for (std::size_t r = 0; r < 6; ++r) {
      std::string text;
      for (const std::int16_t symbol : star.rows[r]) text += symbol == space_symbol ? '-' : "agct"[symbol];
      EXPECT_EQ(text, family_star[r]) << "row " << r;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Reference, Ssca1Golden, ::testing::Values(reference_implementation()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Library, Ssca1Golden, ::testing::ValuesIn(libraries()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Reference, Ssca1Endpoints, ::testing::Values(reference_implementation()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Variant, Ssca1Endpoints, ::testing::ValuesIn(tables({1, 3, 5})), name_of_case);
INSTANTIATE_TEST_SUITE_P(Reference, Ssca1ManyCandidates, ::testing::Values(reference_implementation()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Variant, Ssca1ManyCandidates, ::testing::ValuesIn(tables({1})), name_of_case);

}  // namespace
}  // namespace speedwell::ssca1

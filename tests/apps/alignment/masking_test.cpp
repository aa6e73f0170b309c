// SEG and DUST: values done by hand, and their definitions tried on every interval of random sequences.
#include "speedwell/apps/alignment/sequences/masking.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>

namespace speedwell::alignment {
namespace {

std::vector<std::uint8_t> codes(Alphabet alphabet, const std::string& residues) {
  std::vector<std::uint8_t> result;
  for (const char residue : residues) result.push_back(static_cast<std::uint8_t>(encode(alphabet, residue)));
  return result;
}

// The sequence with its regions in lower case.
std::string shown(const std::string& residues, const std::vector<Region>& regions) {
  std::string text = residues;
  for (const Region& region : regions)
    for (std::size_t i = region.begin; i < region.end; ++i) text.at(i) = static_cast<char>(std::tolower(text[i]));
  return text;
}
std::string seg(const std::string& residues) {
  return shown(residues, seg_regions(codes(Alphabet::protein, residues)));
}
std::string dust(const std::string& residues, const DustOptions& options = {}) {
  return shown(residues, dust_regions(codes(Alphabet::dna, residues), options));
}

std::array<int, 20> counts(std::initializer_list<int> some) {
  std::array<int, 20> all{};
  std::copy(some.begin(), some.end(), all.begin());
  return all;
}

TEST(Seg, ComplexityIsTheEntropyOfTheComposition) {
  EXPECT_DOUBLE_EQ(seg_complexity(counts({12})), 0);
  EXPECT_DOUBLE_EQ(seg_complexity(counts({6, 6})), 1);
  EXPECT_DOUBLE_EQ(seg_complexity(counts({3, 3, 3, 3})), 2);
  EXPECT_NEAR(seg_complexity(counts({9, 3})), 0.811278, 1e-6) << "3/4 log2(4/3) + 1/4 log2(4)";
}

TEST(Seg, ProbabilitiesOfAllCompositionsOfALengthAddUpToOne) {
  // 20 of the 400 pairs have equal residues, 380 have not.
  EXPECT_NEAR(std::exp(seg_log_probability(counts({2}))), 20.0 / 400, 1e-12);
  EXPECT_NEAR(std::exp(seg_log_probability(counts({1, 1}))), 380.0 / 400, 1e-12);
  EXPECT_NEAR(std::exp(seg_log_probability(counts({0, 1, 0, 1}))), 380.0 / 400, 1e-12) << "whichever residues they are";
  double sum = 0;  // over the 7 partitions of 5
  for (const auto& composition : {counts({5}), counts({4, 1}), counts({3, 2}), counts({3, 1, 1}), counts({2, 2, 1}),
                                  counts({2, 1, 1, 1}), counts({1, 1, 1, 1, 1})})
    sum += std::exp(seg_log_probability(composition));
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Seg, MasksRunsAndNothingElse) {
  // All windows of this have 12 different residues or nearly so: log2(12) = 3.58 bits.
  const std::string diverse = "ARNDCEGHILKMFPSTWYV";
  EXPECT_EQ(seg(diverse + diverse), diverse + diverse);
  // A run of 14 is less probable than with any residue beside it, and than any shorter one.
  EXPECT_EQ(seg(diverse + std::string(14, 'Q') + diverse), diverse + std::string(14, 'q') + diverse);
  EXPECT_EQ(seg(std::string(12, 'Q')), std::string(12, 'q'));
  EXPECT_EQ(seg(std::string(11, 'Q')), std::string(11, 'Q')) << "shorter than a window";
  EXPECT_EQ(seg(""), "");
  // Two runs with 19 other residues between: each is its own region, whichever of them is the less probable.
  for (const auto& [first, second] : {std::pair{12, 16}, std::pair{16, 12}})
    EXPECT_EQ(seg(std::string(static_cast<std::size_t>(first), 'S') + diverse +
                  std::string(static_cast<std::size_t>(second), 'E')),
              std::string(static_cast<std::size_t>(first), 's') + diverse +
                  std::string(static_cast<std::size_t>(second), 'e'));
}

TEST(Seg, AWindowBetweenTheTwoComplexitiesExtendsButDoesNotBegin) {
  // Twelve residues, 6 of them of two occurrences each: log2(6) = 2.585 bits is above both. 3 3 2 2 2: 2.292 is
  // between.
  EXPECT_EQ(seg("ARNDCEARNDCE"), "ARNDCEARNDCE");
  const std::string between = "AAARRRNNDDCC";
  EXPECT_NEAR(seg_complexity(counts({3, 3, 2, 2, 2})), 2.292, 1e-3);
  EXPECT_EQ(seg(between), between);
  // P0 of AAARRR is 190 * 20 / 20^6 = 5.9e-5, of the whole 155040 * 1663200 / 20^12 = 6.3e-5.
  EXPECT_NEAR(std::exp(seg_log_probability(counts({3, 3}))), 190.0 * 20 / 64e6, 1e-12);
  EXPECT_NEAR(std::exp(seg_log_probability(counts({3, 3, 2, 2, 2}))), 155040.0 * 1663200 / std::pow(20, 12), 1e-12);
  EXPECT_EQ(shown(between, seg_regions(codes(Alphabet::protein, between), {.trigger = 2.3})), "aaarrrNNDDCC");
  // Six residues of A and R extend the run of Q's windows on the left, and the least probable part drops them again.
  EXPECT_EQ(seg("ARARNDQQQQQQQQQQQQ"), "ARARNDqqqqqqqqqqqq");
}

TEST(Seg, OtherResiduesAreOfNoComposition) {
  EXPECT_EQ(seg("QQQQQQXQQQQQQ"), "qqqqqqxqqqqqq");
  EXPECT_EQ(seg(std::string(30, 'X')), std::string(30, 'X'));
  EXPECT_EQ(seg("QQXXXQQQQQQQQ"), "QQXXXQQQQQQQQ") << "three in every window";
  EXPECT_THROW(seg_regions({}, {.window = 0}), std::invalid_argument);
}

// From the definition, on residues: probabilities by multiplying, every part of a run, nothing carried over.
std::array<int, 20> composition(const std::string& residues) {
  std::array<int, 20> all{};
  for (const char residue : residues) ++all.at(static_cast<std::size_t>(encode(Alphabet::protein, residue)));
  return all;
}
long double probability(const std::string& residues) {
  long double p = 1;
  std::map<char, int> so_far;
  std::size_t n = 0;
  for (const char residue : residues)
    p *= static_cast<long double>(++n) / ++so_far[residue] / 20;  // L! / prod n_i! / 20^L
  std::map<int, int> same;
  int kinds = 0;
  for (const int count : composition(residues))
    p *= static_cast<long double>(++kinds) / ++same[count];  // 20! / prod r_k!
  return p;
}
void mask_by_definition(std::string& text, std::size_t begin, std::size_t end) {
  const auto part = [&](std::size_t b, std::size_t e) {
    std::string residues = text.substr(b, e - b);
    for (char& residue : residues) residue = static_cast<char>(std::toupper(residue));
    return residues;
  };
  const auto low = [&](std::size_t i, double bits) {
    return i + 12 <= end && seg_complexity(composition(part(i, i + 12))) <= bits;
  };
  for (std::size_t i = begin; i < end; ++i) {
    if (!low(i, 2.5)) continue;
    bool triggered = false;
    std::size_t last = i;
    for (; low(last, 2.5); ++last) triggered = triggered || low(last, 2.2);
    const std::size_t raw_begin = i, raw_end = last + 11;
    i = last;
    if (!triggered) continue;
    std::size_t best_begin = raw_begin, best_end = raw_end;
    for (std::size_t b = raw_begin; b < raw_end; ++b)
      for (std::size_t e = raw_end; e > b; --e) {
        const long double here = probability(part(b, e)), minimum = probability(part(best_begin, best_end));
        const bool longer = e - b > best_end - best_begin;
        if (here < minimum * (1 - 1e-12L) || (here < minimum * (1 + 1e-12L) && longer)) best_begin = b, best_end = e;
      }
    for (std::size_t k = best_begin; k < best_end; ++k) text[k] = static_cast<char>(std::tolower(text[k]));
    mask_by_definition(text, raw_begin, best_begin);
    mask_by_definition(text, best_end, raw_end);
  }
}

TEST(Seg, IsItsDefinition) {
  std::mt19937 random(1);
  int masked = 0;
  for (int trial = 0; trial < 150; ++trial) {
    std::string residues;
    for (int i = 0; i < 70; ++i) {
      const unsigned kinds = i / 14 % 2 ? 20 : 3 + static_cast<unsigned>(trial) % 5;
      residues += "ARNDCQEGHILKMFPSTWYV"[random() % kinds];
    }
    std::string expected = residues;
    mask_by_definition(expected, 0, residues.size());
    EXPECT_EQ(seg(residues), expected);
    masked += expected != residues;
  }
  EXPECT_GT(masked, 50) << "the sequences are too diverse for this test";
}

TEST(Seg, RegionsAreInOrderAndDisjoint) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<std::uint8_t> protein(200);
    const unsigned kinds = 3 + random() % 10;
    for (auto& code : protein) code = static_cast<std::uint8_t>(random() % 10 ? random() % kinds : random() % 25);
    std::size_t end = 0;
    for (const Region& region : seg_regions(protein)) {
      EXPECT_TRUE(region.begin < region.end && region.end <= protein.size());
      EXPECT_TRUE(end == 0 || region.begin > end) << "adjacent regions are one";
      end = region.end;
    }
  }
}

TEST(Dust, MasksRunsFromSevenBasesOn) {
  // l triplets AAA: l (l - 1) / 2 pairs over l - 1 is l / 2, above 2.0 from 5 triplets, 7 bases, on.
  EXPECT_EQ(dust("AAAAAA"), "AAAAAA");
  EXPECT_EQ(dust("AAAAAAA"), "aaaaaaa");
  EXPECT_EQ(dust("CGTAAAAAAAACGT"), "CGTaaaaaaaaCGT");
  EXPECT_EQ(dust("AAAAAAA", {.level = 25}), "AAAAAAA") << "above, not at";
  EXPECT_EQ(dust(std::string(200, 'T')), std::string(200, 't'));
  EXPECT_EQ(dust(""), "");
  EXPECT_EQ(dust("AC"), "AC");
}

TEST(Dust, MasksShortRepeats) {
  // 2 kinds of triplet in turn, n of each: n (n - 1) pairs over 2 n - 1; for n = 4 12/7, for n = 5 20/9 > 2.
  EXPECT_EQ(dust("ACACACACAC"), "ACACACACAC") << "8 triplets: 12/7";
  EXPECT_EQ(dust("ACACACACACA"), "ACACACACACA") << "9 triplets: (10 + 6) / 8 = 2, not above";
  EXPECT_EQ(dust("ACACACACACAC"), "acacacacacac") << "10 triplets: 20 / 9";
  const std::string gene = "ATGGTGCACCTGACTCCTGAGGAGAAGTCTGCCGTTACTGCCCTGTGGGGCAAGGTGAACGTGGATGAAG";  // HBB
  EXPECT_EQ(dust(gene), gene);
  EXPECT_EQ(dust("AAAANAAAA"), "AAAANAAAA") << "no triplet goes over another residue";
  EXPECT_THROW(dust_regions({}, {.window = 3}), std::invalid_argument);
  EXPECT_THROW(dust_regions({}, {.level = -1}), std::invalid_argument);
}

TEST(Dust, LinksRegions) {
  const std::string two = "AAAAAAAACCGTCCCCCCCCC";
  EXPECT_EQ(dust(two), "aaaaaaaaCCGTccccccccc");
  EXPECT_EQ(dust(two, {.linker = 4}), "aaaaaaaaCCGTccccccccc") << "four bases between are not fewer than four";
  EXPECT_EQ(dust(two, {.linker = 5}), "aaaaaaaaccgtccccccccc");
}

// From the definition: every interval, and every interval within it.
std::string dust_by_definition(const std::string& residues, std::size_t window) {
  const auto score = [&](std::size_t begin,
                         std::size_t end) {  // bases; fractions of integers below 2^53 are exact enough
    std::map<std::string, int> count;
    double pairs = 0;
    for (std::size_t i = begin; i + 3 <= end; ++i) pairs += count[residues.substr(i, 3)]++;
    return pairs / std::max<double>(1, static_cast<double>(end - begin) - 3);
  };
  std::string text = residues;
  for (std::size_t begin = 0; begin < residues.size(); ++begin)
    for (std::size_t end = begin + 3; end <= std::min(residues.size(), begin + window); ++end) {
      const double here = score(begin, end);
      bool perfect = here > 2;
      for (std::size_t b = begin; perfect && b < end; ++b)
        for (std::size_t e = b + 3; perfect && e <= end; ++e) perfect = score(b, e) <= here + 1e-12;
      for (std::size_t i = begin; perfect && i < end; ++i) text[i] = static_cast<char>(std::tolower(residues[i]));
    }
  return text;
}

TEST(Dust, IsTheUnionOfAllPerfectIntervals) {
  std::mt19937 random(1);
  int masked = 0;
  for (int trial = 0; trial < 60; ++trial) {
    std::string residues;
    const unsigned kinds = 2 + trial % 3;
    for (int i = 0; i < 36; ++i) residues += "ACGT"[random() % 8 ? random() % kinds : 0];
    for (const std::size_t window : {12u, 30u, 64u}) {
      const std::string expected = dust_by_definition(residues, window);
      EXPECT_EQ(dust(residues, {.window = window}), expected) << window;
      masked += expected != residues;
    }
  }
  EXPECT_GT(masked, 30) << "the sequences are too diverse for this test";
}

}  // namespace
}  // namespace speedwell::alignment

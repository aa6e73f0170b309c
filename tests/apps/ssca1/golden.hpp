// Published and independently computed results of SSCA#1, for every implementation of a kernel.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/apps/ssca1/codons.hpp"
#include "speedwell/apps/ssca1/data.hpp"
#include "speedwell/apps/ssca1/ssca1.hpp"

namespace speedwell::ssca1::test {

// The worked example of the dissertation (figures 4.2 and 4.4): nucleotides, 5/-3, gaps 8 + k. Rows are of match.
constexpr std::string_view example_main = "CAGCCUCGCUUAG", example_match = "AAUGCCAUUGCCGG";

// H with its border row and column.
constexpr int example_h[15][14] = {
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},   {0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0},
    {0, 0, 5, 2, 0, 0, 0, 0, 0, 0, 0, 0, 5, 2},   {0, 0, 0, 2, 0, 0, 5, 0, 0, 0, 5, 5, 0, 2},
    {0, 0, 0, 5, 0, 0, 0, 2, 5, 0, 0, 2, 2, 5},   {0, 5, 0, 0, 10, 5, 0, 5, 0, 10, 1, 0, 0, 0},
    {0, 5, 2, 0, 5, 15, 6, 5, 4, 5, 7, 1, 0, 0},  {0, 0, 10, 1, 0, 6, 12, 3, 2, 1, 2, 4, 6, 0},
    {0, 0, 1, 7, 0, 5, 11, 9, 1, 0, 6, 7, 1, 3},  {0, 0, 0, 0, 4, 4, 10, 8, 6, 0, 5, 11, 4, 1},
    {0, 0, 0, 5, 0, 3, 1, 7, 13, 4, 3, 2, 8, 9},  {0, 5, 0, 0, 10, 5, 0, 6, 4, 18, 9, 8, 7, 6},
    {0, 5, 2, 0, 5, 15, 6, 5, 4, 9, 15, 6, 5, 4}, {0, 0, 2, 7, 0, 6, 12, 3, 10, 8, 6, 12, 3, 10},
    {0, 0, 0, 7, 4, 5, 3, 9, 8, 7, 5, 3, 9, 8},
};
// The row-parallel form's H~, its E~ (an exclusive decaying maximum), and F, without borders.
constexpr int example_h_row[14][13] = {
    {0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0},     {0, 5, 2, 0, 0, 0, 0, 0, 0, 0, 0, 5, 2},
    {0, 0, 2, 0, 0, 5, 0, 0, 0, 5, 5, 0, 2},     {0, 0, 5, 0, 0, 0, 2, 5, 0, 0, 2, 2, 5},
    {5, 0, 0, 10, 5, 0, 5, 0, 10, 0, 0, 0, 0},   {5, 2, 0, 5, 15, 2, 5, 2, 5, 7, 0, 0, 0},
    {0, 10, 0, 0, 6, 12, 3, 2, 1, 2, 4, 6, 0},   {0, 1, 7, 0, 5, 11, 9, 0, 0, 6, 7, 1, 3},
    {0, 0, 0, 4, 4, 10, 8, 6, 0, 5, 11, 4, 0},   {0, 0, 5, 0, 3, 1, 7, 13, 3, 0, 2, 8, 9},
    {5, 0, 0, 10, 5, 0, 6, 4, 18, 1, 1, 0, 5},   {5, 2, 0, 5, 15, 2, 5, 3, 9, 15, 6, 5, 4},
    {0, 2, 7, 0, 6, 12, 3, 10, 8, 6, 12, 3, 10}, {0, 0, 7, 4, 5, 3, 9, 8, 7, 5, 3, 9, 8},
};
constexpr int example_e_row[14][13] = {
    {-1, -1, 4, 3, 2, 1, 0, -1, -1, -1, -1, -1, 4}, {-1, -1, 4, 3, 2, 1, 0, -1, -1, -1, -1, -1, 4},
    {-1, -1, -1, 1, 0, -1, 4, 3, 2, 1, 4, 4, 3},    {-1, -1, -1, 4, 3, 2, 1, 1, 4, 3, 2, 1, 1},
    {-1, 4, 3, 2, 9, 8, 7, 6, 5, 9, 8, 7, 6},       {-1, 4, 3, 2, 4, 14, 13, 12, 11, 10, 9, 8, 7},
    {-1, -1, 9, 8, 7, 6, 11, 10, 9, 8, 7, 6, 5},    {-1, -1, 0, 6, 5, 4, 10, 9, 8, 7, 6, 6, 5},
    {-1, -1, -1, -1, 3, 3, 9, 8, 7, 6, 5, 10, 9},   {-1, -1, -1, 4, 3, 2, 1, 6, 12, 11, 10, 9, 8},
    {-1, 4, 3, 2, 9, 8, 7, 6, 5, 17, 16, 15, 14},   {-1, 4, 3, 2, 4, 14, 13, 12, 11, 10, 14, 13, 12},
    {-1, -1, 1, 6, 5, 5, 11, 10, 9, 8, 7, 11, 10},  {-1, -1, -1, 6, 5, 4, 3, 8, 7, 6, 5, 4, 8},
};
constexpr int example_f[14][13] = {
    {-9, -9, -9, -9, -9, -9, -9, -9, -9, -9, -9, -9, -9}, {-9, -4, -9, -9, -9, -9, -9, -9, -9, -9, -9, -4, -9},
    {-9, -4, -7, -9, -9, -9, -9, -9, -9, -9, -9, -4, -7}, {-9, -5, -7, -9, -9, -4, -9, -9, -9, -4, -4, -5, -7},
    {-9, -6, -4, -9, -9, -5, -7, -4, -9, -5, -5, -6, -4}, {-4, -7, -5, 1, -4, -6, -4, -5, 1, -6, -6, -7, -5},
    {-4, -7, -6, 0, 6, -3, -4, -5, 0, -2, -7, -8, -6},    {-5, 1, -7, -1, 5, 3, -5, -6, -1, -3, -5, -3, -7},
    {-6, 0, -2, -2, 4, 2, 0, -7, -2, -3, -2, -4, -6},     {-7, -1, -3, -3, 3, 1, -1, -3, -3, -4, 2, -5, -7},
    {-8, -2, -4, -4, 2, 0, -2, 4, -4, -5, 1, -1, 0},      {-4, -3, -5, 1, 1, -1, -3, 3, 9, 0, 0, -2, -1},
    {-4, -4, -6, 0, 6, -2, -4, 2, 8, 6, -1, -3, -2},      {-5, -5, -2, -1, 5, 3, -5, 1, 7, 5, 3, -4, 1},
};

inline std::vector<std::uint8_t> base_codes(std::string_view bases) {
  std::vector<std::uint8_t> codes;
  for (const char c : bases) codes.push_back(static_cast<std::uint8_t>(std::string_view("ACGU").find(c)));
  return codes;
}

/// The golden lists give (score, position in match, position in main) for the example, and main first elsewhere.
inline Endpoint match_first(std::int32_t score, std::int64_t match, std::int64_t main) { return {score, main, match}; }

inline Data golden_data(std::int64_t length) { return make_data({.main_length = length, .match_length = length}); }

// A family of relatives of one query, and a main sequence with them at 15, 41, 67, 91, 119 and 145.
constexpr std::string_view family_query = "gtg tac cat ccc gtt cgc tct caa gct gcg tac gaa";
constexpr std::string_view family_main =
    "tac tgt ccg tac aag gcg tat gcg caa gtt tag gat aag tca "
    "gtg tac cat ccc gtt cgc tct caa gct gcg tac gaa "
    "tgg tca gct atc gga tca att gtg aat agc ctc att gcc agg "
    "gtg tac cat gtc gtt cgc tct caa gct gcg tac gaa "
    "ggg gct gta gct gac gcg tca cat aag gtg gct cga ctg aga "
    "gtg tac cat ccc gtt caa gct gcg tac gaa "
    "acg tat tgg cgt gcg gca aac ggt cgg gcg gac gcg gac aca "
    "gtg tac cat ccc gtt cgc tct caa gct cct taa gcg tac gaa "
    "taa cga cgg gag gtc ctt ggt tac gct acg ggg tga agc cgc "
    "gtg tac cac ccc gtt cgc tct caa gct gcg gtc gaa "
    "tag act gca cga gta gcg cct tcg ggg gct gtt taa ggc agt "
    "gtg cat ccc gtt cgc tct ggc gct gcg tac gaa "
    "cgt agg aac cgt gaa ggc caa gtc gct agc ctc tcg ggc ttc";

constexpr int family_differences[6][6] = {
    {0, 40, 180, 180, 60, 150},   {40, 0, 200, 220, 100, 190}, {180, 200, 0, 360, 240, 250},
    {180, 220, 360, 0, 220, 310}, {60, 100, 240, 220, 0, 210}, {150, 190, 250, 310, 210, 0},
};
constexpr int family_differences_1_2[6][6] = {
    {0, 2, 12, 12, 3, 9},    {2, 0, 13, 14, 5, 11}, {12, 13, 0, 24, 15, 14},
    {12, 14, 24, 0, 14, 20}, {3, 5, 15, 14, 0, 12}, {9, 11, 14, 20, 12, 0},
};
constexpr std::string_view family_star[6] = {
    "gtgtaccatcccgttcgctctcaag---c-t--gcgtacgaa", "gtgtaccatgtcgttcgctctcaag---c-t--gcgtacgaa",
    "gtgtaccaccccgttcgctctcaag---c-t--gcggtcgaa", "gtg---catcccgttcgctctggcg---c-t--gcgtacgaa",
    "gtgtaccat-cc---cg-t-tcaag---c-t--gcgtacgaa", "gtgtaccatcccgttcgctctcaagctccttaagcgtacgaa",
};

}  // namespace speedwell::ssca1::test

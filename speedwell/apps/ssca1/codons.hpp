// The symbols of SSCA#1: codons, their amino acids, and the validation strings that are embedded in its data. Bases are
// a = 0, g = 1, c = 2, t = 3 (u is t); a codon is 16 b1 + 4 b2 + b3. SSCA#1 v1.0, C executable specification.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace speedwell::ssca1 {

inline constexpr int codon_count = 64;

/// The code of a codon, three bases a, g, c, t or u in either case, or -1.
int codon_code(std::string_view codon);
/// The three bases of a code 0 … 63 in lower case.
std::string codon_bases(int code);
/// One-letter code of the amino acid of a code 0 … 63, '*' for a stop.
char acid_of(int code);
/// The codons of an amino acid in the order of the benchmark's table; the strings are written in the first or the last
/// ones. Throws std::invalid_argument if `acid` is not a one-letter code.
std::span<const std::uint8_t> codons_of(char acid);
/// Codes of "gtg tac cat": codons with or without spaces. Throws std::invalid_argument for invalid codons.
std::vector<std::uint8_t> parse_codons(std::string_view text);

/// A pair of strings whose middle parts, from stop to stop, align with `score` if a gap of three costs 11; the outer
/// parts differ, so that the alignment ends there. Main is written in the last codon of every acid.
struct ValidationString {
  std::string_view main, match;  // amino acids
  bool last_codons;              // whether match is written in the last codons instead of the first
  std::int32_t score;
  int main_begin, main_end;    // range of the alignment in the string, counted from 1
  int match_begin, match_end;  // likewise
  /// Whether the score needs similar codons of one acid; the other strings need only exact pairs.
  bool needs_similar;
};
std::span<const ValidationString, 6> validation_strings();

/// The codons of the string in main and in match.
std::vector<std::uint8_t> main_codons(const ValidationString& string);
std::vector<std::uint8_t> match_codons(const ValidationString& string);

}  // namespace speedwell::ssca1

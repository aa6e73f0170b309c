// Alphabets, substitution matrices and gap costs of sequence alignment.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace speedwell::alignment {

enum class Alphabet { protein, dna };

/// The symbols of an alphabet have the codes 0, 1, … in the order of `symbols(alphabet)`; code tables have room for
/// `code_limit`.
inline constexpr int code_limit = 32;

/// protein: "ARNDCQEGHILKMFPSTWYVBJZX*"; dna: "ACGTRYSWKMBDHVN".
std::string_view symbols(Alphabet alphabet);
/// The code of a symbol of either case, or -1. Protein U is C, O is X; DNA U is T.
int encode(Alphabet alphabet, char symbol);
char decode(Alphabet alphabet, int code);

/// score(a, b) = score(b, a) of every two symbols. Codes past the alphabet score `lowest()` with everything.
class SubstitutionMatrix {
 public:
  /// Takes the scores of the alphabet's symbols. Throws std::invalid_argument if they are not symmetric.
  /// Bit c of `known`: whether the symbol of code c has scores of its own (or of a symbol that stands for it).
  SubstitutionMatrix(std::string name, Alphabet alphabet,
                     const std::array<std::int8_t, code_limit * code_limit>& scores, std::uint32_t known = ~0u);

  const std::string& name() const { return name_; }
  Alphabet alphabet() const { return alphabet_; }
  int score(int a, int b) const { return scores_[static_cast<std::size_t>(a * code_limit + b)]; }
  /// Row-major, code_limit x code_limit.
  const std::int8_t* data() const { return scores_.data(); }
  bool has(int code) const { return known_ >> code & 1; }
  int lowest() const;
  int highest() const;

 private:
  std::string name_;
  Alphabet alphabet_;
  std::array<std::int8_t, code_limit * code_limit> scores_;
  std::uint32_t known_;
};

/// A published matrix: BLOSUM45, 50, 62, 80, 90, PAM30, 70, 250 (NCBI's 25-symbol tables), BLOSUM62-classic,
/// BLOSUM80-3, NUC.4.4, in either case. Symbols that a table lacks (J of the older two) score as its X. Throws
/// std::invalid_argument naming the nearest known name.
const SubstitutionMatrix& named_matrix(std::string_view name);
std::vector<std::string> matrix_names();
/// DNA: `match` for equal A, C, G, T and `mismatch` for all else, ambiguity codes included. Throws
/// std::invalid_argument unless 1 <= match <= 127 and -128 <= mismatch < match.
SubstitutionMatrix match_mismatch(int match, int mismatch);

/// A gap of length k costs gap_open + k * gap_extend (the convention of BLAST and ssearch36; parasail's open is the sum
/// of both). Costs are not negative; gap_extend is at least 1 or gap_open is, so that a gap never is free.
struct Scoring {
  SubstitutionMatrix matrix;
  int gap_open = 11;
  int gap_extend = 1;
};

}  // namespace speedwell::alignment

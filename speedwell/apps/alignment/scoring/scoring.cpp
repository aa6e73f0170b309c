#include "speedwell/apps/alignment/scoring/scoring.hpp"

#include <algorithm>
#include <stdexcept>

namespace speedwell::alignment {
namespace {

constexpr std::string_view alphabet_symbols[] = {"ARNDCQEGHILKMFPSTWYVBJZX*", "ACGTRYSWKMBDHVN"};

struct Codes {
  std::int8_t of[256];
};

constexpr char lower(char symbol) { return symbol >= 'A' && symbol <= 'Z' ? static_cast<char>(symbol + 32) : symbol; }

constexpr Codes codes_of(Alphabet alphabet) {
  Codes codes{};
  for (auto& code : codes.of) code = -1;
  const std::string_view all = alphabet_symbols[static_cast<int>(alphabet)];
  const auto put = [&](char symbol, char same_as) {
    const auto code = static_cast<std::int8_t>(all.find(same_as));
    codes.of[static_cast<unsigned char>(symbol)] = code;
    codes.of[static_cast<unsigned char>(lower(symbol))] = code;
  };
  for (const char symbol : all) put(symbol, symbol);
  if (alphabet == Alphabet::protein) {
    put('U', 'C');  // selenocysteine, as blastp scores it
    put('O', 'X');  // pyrrolysine
  } else {
    put('U', 'T');
  }
  return codes;
}

constexpr Codes codes[] = {codes_of(Alphabet::protein), codes_of(Alphabet::dna)};

}  // namespace

std::string_view symbols(Alphabet alphabet) { return alphabet_symbols[static_cast<int>(alphabet)]; }

int encode(Alphabet alphabet, char symbol) {
  return codes[static_cast<int>(alphabet)].of[static_cast<unsigned char>(symbol)];
}

char decode(Alphabet alphabet, int code) { return symbols(alphabet).at(static_cast<std::size_t>(code)); }

SubstitutionMatrix::SubstitutionMatrix(std::string name, Alphabet alphabet,
                                       const std::array<std::int8_t, code_limit * code_limit>& scores,
                                       std::uint32_t known)
    : name_(std::move(name)), alphabet_(alphabet), scores_(scores), known_(known) {
  const std::string_view all = symbols(alphabet);
  const int count = static_cast<int>(all.size());
  int minimum = scores[0];
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count; ++b) {
      minimum = std::min(minimum, score(a, b));
      if (score(a, b) != score(b, a))
        throw std::invalid_argument("the matrix " + name_ + " is not symmetric: " + decode(alphabet, a) +
                                    decode(alphabet, b) + " scores " + std::to_string(score(a, b)) + ", " +
                                    decode(alphabet, b) + decode(alphabet, a) + " " + std::to_string(score(b, a)));
    }
  for (int a = 0; a < code_limit; ++a)
    for (int b = 0; b < code_limit; ++b)
      if (a >= count || b >= count)
        scores_[static_cast<std::size_t>(a * code_limit + b)] = static_cast<std::int8_t>(minimum);
}

int SubstitutionMatrix::lowest() const { return *std::min_element(scores_.begin(), scores_.end()); }
int SubstitutionMatrix::highest() const { return *std::max_element(scores_.begin(), scores_.end()); }

SubstitutionMatrix match_mismatch(int match, int mismatch) {
  if (match < 1 || match > 127 || mismatch < -128 || mismatch >= match)
    throw std::invalid_argument("match " + std::to_string(match) + ", mismatch " + std::to_string(mismatch) +
                                ": a match scores 1 to 127, a mismatch less, and not below -128");
  std::array<std::int8_t, code_limit * code_limit> scores;
  scores.fill(static_cast<std::int8_t>(mismatch));
  for (const char symbol : {'A', 'C', 'G', 'T'}) {
    const int code = encode(Alphabet::dna, symbol);
    scores[static_cast<std::size_t>(code * code_limit + code)] = static_cast<std::int8_t>(match);
  }
  return {std::to_string(match) + "/" + std::to_string(mismatch), Alphabet::dna, scores};
}

}  // namespace speedwell::alignment

#include "tests/compare/campaign_sets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "tests/apps/alignment/random_sequences.hpp"
#include "tests/compare/sequences.hpp"

namespace speedwell {
namespace {

using alignment::Alphabet;
using alignment::test::Random;

constexpr std::size_t longest = 35'000;
constexpr std::string_view amino_acids = "ARNDCQEGHILKMFPSTWYV";  // in the order of the alphabet

template <class T, std::size_t count>
const T& one_of(Random& random, const std::array<T, count>& choices) {
  return choices[random.below(count)];
}

std::size_t log_uniform(Random& random, std::size_t least, std::size_t most) {
  const double fraction = static_cast<double>(random.below(1 << 20)) / (1 << 20);
  const double ratio = static_cast<double>(most) / static_cast<double>(least);
  return std::min(most, static_cast<std::size_t>(static_cast<double>(least) * std::pow(ratio, fraction) + 0.5));
}

// --- scoring systems

struct Published {
  const char *ours, *theirs;
};
// NCBI's tables and parasail's classic ones agree on the 20 amino acids.
constexpr std::array<Published, 9> protein_tables = {{{"BLOSUM45", "blosum45"},
                                                      {"BLOSUM50", "blosum50"},
                                                      {"BLOSUM62", "blosum62"},
                                                      {"BLOSUM62-classic", "blosum62"},
                                                      {"BLOSUM80-3", "blosum80"},
                                                      {"BLOSUM90", "blosum90"},
                                                      {"PAM30", "pam30"},
                                                      {"PAM70", "pam70"},
                                                      {"PAM250", "pam250"}}};
// Scores from 1 on, and gaps from almost free to never worth while; costs of both 0 do not occur.
constexpr std::array<int, 9> matches = {1, 1, 2, 2, 5, 11, 23, 60, 127};
constexpr std::array<int, 8> mismatches = {0, -1, -2, -3, -4, -10, -50, -128};
constexpr std::array<std::pair<int, int>, 16> gaps = {{{11, 1},
                                                       {10, 2},
                                                       {5, 2},
                                                       {12, 4},
                                                       {0, 1},
                                                       {0, 2},
                                                       {0, 10},
                                                       {1, 1},
                                                       {1, 0},
                                                       {3, 0},
                                                       {40, 0},
                                                       {2, 30},
                                                       {60, 1},
                                                       {99, 1},
                                                       {150, 7},
                                                       {1000, 300}}};

std::pair<alignment::SubstitutionMatrix, std::vector<int>> made_table(Random& random, Alphabet alphabet) {
  const std::size_t count = alignment::symbols(alphabet).size();
  const int highest = one_of(random, matches), lowest = one_of(random, mismatches);
  std::array<std::int8_t, alignment::code_limit * alignment::code_limit> scores{};
  std::vector<int> table(count * count);
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = a; b < count; ++b) {
      const int score = a == b ? random.between(highest / 2, highest) : random.between(lowest, highest / 4);
      table[a * count + b] = table[b * count + a] = score;
      scores[a * alignment::code_limit + b] = scores[b * alignment::code_limit + a] = static_cast<std::int8_t>(score);
    }
  return {alignment::SubstitutionMatrix("made", alphabet, scores), table};
}

struct Systems {
  alignment::Scoring ours;
  parasail::System theirs;
};

Systems systems(Random& random, Kind kind) {
  const auto [open, extend] = one_of(random, gaps);
  const auto with = [open = open, extend = extend](const alignment::SubstitutionMatrix& matrix,
                                                   parasail::System theirs) {
    theirs.open = open + extend;
    theirs.extend = extend;
    return Systems{{matrix, open, extend}, std::move(theirs)};
  };
  switch (kind) {
    case Kind::random_protein:
    case Kind::real_protein: {
      const Published& table = one_of(random, protein_tables);
      return with(alignment::named_matrix(table.ours), {.matrix = table.theirs});
    }
    case Kind::protein_made_table:
    case Kind::dna_made_table: {
      const Alphabet alphabet = kind == Kind::dna_made_table ? Alphabet::dna : Alphabet::protein;
      if (alphabet == Alphabet::dna && random.below(4) == 0)
        return with(alignment::named_matrix("NUC.4.4"), {.matrix = "nuc44"});
      auto [matrix, table] = made_table(random, alphabet);
      return with(matrix, {.alphabet = std::string(alignment::symbols(alphabet)), .table = table});
    }
    case Kind::random_dna:
    case Kind::real_dna:
      break;
  }
  const int match = one_of(random, matches), mismatch = one_of(random, mismatches);
  return with(alignment::match_mismatch(match, mismatch), {.match = match, .mismatch = mismatch});
}

// --- sequences

// Pieces of it are the real sequences. It is taken as a ring: one may be longer than what is left.
const std::string& real_text(Kind kind) {
  const auto joined = [](std::initializer_list<const char*> files) {
    std::string text;
    for (const char* file : files)
      for (const std::string& sequence : sequences_of(file)) text += sequence;
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
    return text;
  };
  static const std::string proteins = joined({"proteins-100.fa"});
  static const std::string dna = joined({"mitochondrion-human.fa", "mitochondrion-orangutan.fa"});
  return kind == Kind::real_dna ? dna : proteins;
}

// The symbols that random sequences of a set are made of: all that its table has, or a few of them, which gives
// repeats, equal scores and long gaps.
std::string symbols_for(Random& random, Kind kind) {
  std::string_view all = kind == Kind::random_dna ? "ACGT" : amino_acids;
  if (kind == Kind::protein_made_table || kind == Kind::dna_made_table)
    all = alignment::symbols(kind == Kind::dna_made_table ? Alphabet::dna : Alphabet::protein);
  std::string symbols(all);
  if (random.below(4) != 0) return symbols;
  for (char& symbol : symbols) std::swap(symbol, symbols[random.below(symbols.size())]);
  return symbols.substr(0, 2 + random.below(3));
}

std::string sequence(Random& random, Kind kind, const std::string& symbols, std::size_t length) {
  std::string made(length, ' ');
  if (kind == Kind::real_protein || kind == Kind::real_dna) {
    const std::string& text = real_text(kind);
    std::size_t at = random.below(text.size());
    for (char& symbol : made) symbol = text[at++ % text.size()];
  } else {
    for (char& symbol : made) symbol = symbols[random.below(symbols.size())];
  }
  return made;
}

// A piece of `of` of at most `length` residues; one of `distance` of them is replaced, lost or followed by another,
// none where that is 0.
std::string relative(Random& random, const std::string& of, std::size_t length, std::size_t distance) {
  const std::size_t size = std::min(length, of.size()), begin = random.below(of.size() - size + 1);
  std::string made;
  for (const char residue : of.substr(begin, size)) {
    const std::size_t change = distance == 0 ? 3 : random.below(3 * distance);
    if (change != 0) made += change == 1 ? of[random.below(of.size())] : residue;
    if (change == 2) made += of[random.below(of.size())];
  }
  if (made.empty()) made = of.substr(0, 1);
  return made.substr(0, longest);
}

// In most rounds of the kinds lengths are of every magnitude; in every fourth subjects have almost one length, which
// fills vectors, and in every 20th there are few sequences, all of them long.
struct Shape {
  std::size_t queries, subjects, least, most;
};
Shape shape_of(Random& random, std::size_t round) {
  if (round % 20 == 9) return {1 + random.below(2), 1 + random.below(3), longest - 5000, longest};
  if (round % 4 == 2) {
    const std::size_t most = log_uniform(random, 10, 3000);
    return {1 + random.below(6), log_uniform(random, 16, 256), most - most / 20, most};
  }
  return {1 + random.below(8), log_uniform(random, 1, 128), 1, log_uniform(random, 100, longest)};
}

}  // namespace

CampaignSet campaign_set(std::uint64_t seed, std::size_t number) {
  Random random(core::random_bits(seed, number));
  const Kind kind = static_cast<Kind>(number % kinds);
  const Systems both = systems(random, kind);
  const Shape shape = shape_of(random, number / kinds);
  const std::string symbols = symbols_for(random, kind);
  CampaignSet set{kind, both.ours, both.theirs, {}, {}};
  for (std::size_t i = 0; i < shape.queries; ++i)
    set.queries.push_back(sequence(random, kind, symbols, log_uniform(random, shape.least, shape.most)));
  constexpr std::array<std::size_t, 5> distances = {0, 100, 20, 8, 3};
  for (std::size_t i = 0; i < shape.subjects; ++i) {
    const std::size_t length = log_uniform(random, shape.least, shape.most);
    const std::string& query = set.queries[random.below(shape.queries)];
    set.subjects.push_back(random.below(2) == 0 ? relative(random, query, length, one_of(random, distances))
                                                : sequence(random, kind, symbols, length));
  }
  return set;
}

}  // namespace speedwell

#include "speedwell/apps/alignment/problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/alignment/verify/reference.hpp"
#include "speedwell/core/random.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::alignment {
namespace {

// Occurrences among 10^4 residues of UniProtKB/Swiss-Prot, in the order ARNDCQEGHILKMFPSTWYV (its release statistics).
constexpr std::array<int, 20> protein_weights = {825, 553, 406, 546, 138, 393, 672, 707, 227, 591,
                                                 965, 580, 241, 386, 474, 665, 536, 110, 292, 686};

std::vector<std::uint8_t> residue_table(Alphabet alphabet) {
  if (alphabet == Alphabet::dna) return {0, 1, 2, 3};
  std::vector<std::uint8_t> table;
  for (std::size_t a = 0; a < protein_weights.size(); ++a)
    table.insert(table.end(), static_cast<std::size_t>(protein_weights[a]), static_cast<std::uint8_t>(a));
  return table;
}

/// Random decisions of one sequence, in order.
class Draw {
 public:
  Draw(std::uint64_t seed, std::int64_t index) : stream_(core::random_bits(seed, static_cast<std::uint64_t>(index))) {}
  std::uint32_t below(std::size_t limit) {
    return static_cast<std::uint32_t>(((core::random_bits(stream_, next_++) >> 32) * limit) >> 32);
  }

 private:
  std::uint64_t stream_, next_ = 0;
};

std::uint64_t other_stream(std::uint64_t seed, std::uint64_t purpose) { return core::random_bits(seed, ~purpose); }

}  // namespace

std::vector<std::size_t> survey_lengths() {
  return {144,  189,  222,  375,  464,  567,  657,  729,  850,  1000,
          1500, 2005, 2504, 3005, 3564, 4061, 4548, 4743, 5147, 5478};
}

std::size_t length_of(const Population& population, std::int64_t index) {
  if (const auto& lengths = population.lengths; !lengths.empty())
    return lengths[static_cast<std::size_t>(index) % lengths.size()];
  // Box and Muller; the logarithm's mean is that for which the lengths' mean is mean_length.
  const std::uint64_t stream = other_stream(population.seed, 0);
  const auto i = static_cast<std::uint64_t>(index);
  const double u = 1 - core::random_uniform(stream, 2 * i), v = core::random_uniform(stream, 2 * i + 1);
  const double normal = std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  const double mu = std::log(population.mean_length) - population.spread * population.spread / 2;
  const double length = std::exp(mu + population.spread * normal);
  return static_cast<std::size_t>(std::clamp(length + 0.5, 1.0, 2147483647.0));
}

SequenceSet make_sequences(const Population& population) {
  return make_relatives(population, SequenceSet(population.alphabet), 0);
}

SequenceSet make_relatives(const Population& population, const SequenceSet& ancestors, double related) {
  const std::vector<std::uint8_t> table = residue_table(population.alphabet);
  const std::uint64_t kinship = other_stream(population.seed, 1);
  SequenceSet set(population.alphabet);
  std::vector<std::uint8_t> codes;
  for (std::int64_t i = 0; i < population.count; ++i) {
    codes.resize(length_of(population, i));
    Draw draw(population.seed, i);
    std::span<const std::uint8_t> ancestor;
    if (ancestors.size() > 0 && core::random_uniform(kinship, static_cast<std::uint64_t>(i)) < related)
      ancestor = ancestors.codes(draw.below(ancestors.size()));
    std::size_t at = 0;
    for (std::uint8_t& code : codes) {
      const std::uint32_t change = ancestor.empty() ? 0 : draw.below(100);
      if (change < 2) ++at;  // a residue lost
      code = change < 32 || at >= ancestor.size() ? table[draw.below(table.size())] : ancestor[at];
      ++at;
    }
    set.add_codes("random-" + std::to_string(i), codes);
  }
  return set;
}

namespace {
constexpr std::size_t shortest_word = 100, word_lengths = 100, around_word = 200;
// A slot has room for the longest word and its surroundings, so that words do not meet.
constexpr std::size_t shortest_slot = shortest_word + word_lengths + 2 * around_word;
}  // namespace

std::size_t min_planted_length(std::size_t blocks) { return blocks * blocks * shortest_slot; }

std::vector<PlantedWord> plant_words(SequenceSet& query, SequenceSet& subject, std::size_t blocks, std::uint64_t seed) {
  if (query.size() != 1 || subject.size() != 1 ||
      std::min(query.residues(), subject.residues()) < min_planted_length(blocks))
    throw std::invalid_argument("words are planted in one query and one subject of " +
                                std::to_string(min_planted_length(blocks)) + " residues or more, not in " +
                                std::to_string(query.size()) + " of " + std::to_string(query.residues()) + " and " +
                                std::to_string(subject.size()) + " of " + std::to_string(subject.residues()));
  const std::vector<std::uint8_t> table = residue_table(query.alphabet());
  const auto copy = [](std::span<const std::uint8_t> codes) { return std::vector(codes.begin(), codes.end()); };
  std::vector<std::uint8_t> rows = copy(query.codes(0)), columns = copy(subject.codes(0));
  std::vector<PlantedWord> words;
  for (std::size_t i = 0; i < blocks; ++i)
    for (std::size_t j = 0; j < blocks; ++j) {
      Draw draw(other_stream(seed, 2), static_cast<std::int64_t>(i * blocks + j));
      const std::size_t word_length = shortest_word + draw.below(word_lengths);
      // Block `of` of the sequence has a slot for each block `with` of the other.
      const auto position_in = [&](std::size_t length, std::size_t of, std::size_t with) {
        const std::size_t slot = length / (blocks * blocks);
        return (of * blocks + with) * slot + around_word + draw.below(slot - word_length - 2 * around_word + 1);
      };
      const std::size_t row = position_in(rows.size(), i, j), column = position_in(columns.size(), j, i);
      for (std::size_t k = 0; k < word_length; ++k)
        rows[row + k] = columns[column + k] = table[draw.below(table.size())];
      words.push_back({row, column, word_length});
    }
  const auto put = [](SequenceSet& set, const std::vector<std::uint8_t>& codes) {
    SequenceSet made(set.alphabet());
    made.add_codes(set.name(0), codes);
    set = std::move(made);
  };
  put(query, rows);
  put(subject, columns);
  return words;
}

std::vector<KnownCell> ends_of_words(Codes query, Codes subject, const Scoring& scoring,
                                     const std::vector<PlantedWord>& words) {
  std::vector<KnownCell> ends;
  for (const PlantedWord& word : words) {
    const std::size_t row = word.query_begin - around_word, column = word.subject_begin - around_word;
    const std::size_t length = word.length + 2 * around_word;
    const reference::Best best = reference::best(query.subspan(row, length), subject.subspan(column, length), scoring);
    if (best.score == 0) continue;  // no residues score above 0
    ends.push_back({static_cast<std::int64_t>(row + best.query_end) - 1,
                    static_cast<std::int64_t>(column + best.subject_end) - 1, static_cast<std::int32_t>(best.score)});
  }
  return ends;
}

SubstitutionMatrix matrix_of(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return named_matrix(text);
  const auto number = [&](std::string_view part) {
    const double value = core::parse_real(part);
    if (value != std::floor(value) || std::abs(value) > 1000)
      throw std::invalid_argument("'" + std::string(text) + "' is not MATCH/MISMATCH, as in 2/-3");
    return static_cast<int>(value);
  };
  return match_mismatch(number(text.substr(0, slash)), number(text.substr(slash + 1)));
}

Scoring usual_scoring(const SubstitutionMatrix& matrix) {
  struct Costs {
    std::string_view matrix;
    int open, extend;
  };
  constexpr Costs usual[] = {{"BLOSUM45", 14, 2},         {"BLOSUM50", 13, 2}, {"BLOSUM62", 11, 1},
                             {"BLOSUM62-classic", 11, 1}, {"BLOSUM80", 10, 1}, {"BLOSUM90", 10, 1},
                             {"BLOSUM80-3", 10, 1},       {"PAM30", 9, 1},     {"PAM70", 10, 1},
                             {"PAM250", 14, 2},           {"NUC.4.4", 12, 4}};  // the last: ssearch36's
  for (const auto& [name, open, extend] : usual)
    if (matrix.name() == name) return {matrix, open, extend};
  if (matrix.alphabet() == Alphabet::dna) return {matrix, 5, 2};  // blastn's
  return {matrix, 11, 1};
}

}  // namespace speedwell::alignment

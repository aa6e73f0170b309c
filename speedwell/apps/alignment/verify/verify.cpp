#include "speedwell/apps/alignment/verify/verify.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>
#include <stdexcept>

#include "speedwell/apps/alignment/verify/reference.hpp"
#include "speedwell/core/random.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::alignment {
namespace {

// Searches with at most so many pairs are verified as a whole: a sample has the first and the last 16 pairs anyway.
constexpr std::size_t max_unsampled_pairs = 32;

// An upper bound of the scores of each sequence: every residue with its best partner, and no gaps.
std::vector<std::int64_t> max_scores(const SequenceSet& sequences, const SubstitutionMatrix& matrix) {
  const int count = static_cast<int>(symbols(matrix.alphabet()).size());
  std::int64_t best[code_limit] = {};
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count; ++b) best[a] = std::max(best[a], std::int64_t{matrix.score(a, b)});
  std::vector<std::int64_t> maximum(sequences.size(), 0);
  for (std::size_t i = 0; i < sequences.size(); ++i)
    for (const std::uint8_t code : sequences.codes(i)) maximum[i] += best[code];
  return maximum;
}

// The symbols that occur in each sequence: bit c is set if the code c does (code_limit is 32).
std::vector<std::uint32_t> symbol_sets(const SequenceSet& sequences) {
  std::vector<std::uint32_t> sets(sequences.size(), 0);
  for (std::size_t i = 0; i < sequences.size(); ++i)
    for (const std::uint8_t code : sequences.codes(i)) sets[i] |= std::uint32_t{1} << code;
  return sets;
}

// The sample that OracleEffort describes: ascending indices of pairs, with about `cells` cells in all. Requires at
// least 32 pairs.
std::vector<std::size_t> sample(const SequenceSet& queries, const SequenceSet& subjects, double cells) {
  const std::size_t rows = queries.size(), columns = subjects.size(), all = rows * columns;
  std::vector<std::size_t> pairs;
  const auto add_run = [&](std::size_t first, std::size_t count) {
    for (std::size_t p = first; p < std::min(all, first + count); ++p) {
      pairs.push_back(p);
      cells -= static_cast<double>(queries.length(p / columns)) * static_cast<double>(subjects.length(p % columns));
    }
  };
  // An arbitrary constant, not the seed of the sequences: the sample must not depend on the residues.
  constexpr std::uint64_t stream = 0x616c69676e;
  add_run(0, 16);
  add_run(all - 16, 16);
  for (std::size_t q = 0; q < rows; ++q) add_run(q * columns + core::random_bits(stream, q) % columns, 4);
  for (std::uint64_t k = rows; cells > 0 && pairs.size() < all; ++k) add_run(core::random_bits(stream, k) % all, 8);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

}  // namespace

Expected expect(const SequenceSet& queries, const SequenceSet& subjects, const Scoring& scoring,
                const OracleEffort& effort) {
  Expected expected;
  expected.subjects = subjects.size();
  expected.all_pairs = queries.size() * subjects.size();
  const double cells = static_cast<double>(queries.residues()) * static_cast<double>(subjects.residues());
  if (cells <= effort.all_cells || expected.all_pairs <= max_unsampled_pairs) {
    expected.pairs.resize(expected.all_pairs);
    for (std::size_t p = 0; p < expected.all_pairs; ++p) expected.pairs[p] = p;
  } else {
    expected.pairs = sample(queries, subjects, effort.sample_cells);
  }

  expected.scores.resize(expected.pairs.size());
  const auto count = static_cast<std::int64_t>(expected.pairs.size());
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic, 1)
  for (std::int64_t k = 0; k < count; ++k) {
    try {
      const std::size_t p = expected.pairs[static_cast<std::size_t>(k)];
      const reference::Best best =
          reference::best(queries.codes(p / subjects.size()), subjects.codes(p % subjects.size()), scoring);
      expected.scores[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(best.score);
    } catch (...) {
#pragma omp critical
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);

  expected.query_max = max_scores(queries, scoring.matrix);
  expected.subject_max = max_scores(subjects, scoring.matrix);
  expected.subject_symbols = symbol_sets(subjects);
  expected.query_best.assign(queries.size() * code_limit, 0);
  for (std::size_t q = 0; q < queries.size(); ++q)
    for (const std::uint8_t a : queries.codes(q))
      for (int b = 0; b < code_limit; ++b) {
        std::int8_t& best = expected.query_best[q * code_limit + static_cast<std::size_t>(b)];
        best = std::max(best, static_cast<std::int8_t>(scoring.matrix.score(a, b)));
      }
  return expected;
}

core::Verdict verify(const Expected& expected, std::span<const std::int32_t> scores) {
  const bool all_by_reference = expected.pairs.size() == expected.all_pairs, compared = !expected.others.empty();
  if (compared && expected.others.size() != expected.all_pairs)
    throw std::invalid_argument("alignment: " + expected.other + " has " +
                                core::counted(expected.others.size(), "score") + " for " +
                                core::counted(expected.all_pairs, "pair"));
  std::string oracle = all_by_reference
                           ? "serial reference on all " + core::counted(expected.all_pairs, "pair")
                           : "serial reference on " + std::to_string(expected.pairs.size()) + " of " +
                                 std::to_string(expected.all_pairs) + " pairs, including the first and the last ones";
  if (compared)
    oracle += ", " + expected.other + " on all " + std::to_string(expected.all_pairs) +
              ", which is compared with the reference on the same pairs";
  oracle += ", bounds of each score from its residues; number of wrong scores";
  if (scores.size() != expected.all_pairs) {
    const std::size_t count = scores.size(), all = expected.all_pairs;
    return core::Verdict::from_error(static_cast<double>(count > all ? count - all : all - count), 0, oracle);
  }
  std::size_t wrong = 0;
  auto exact = expected.pairs.begin();  // the next pair with a score by the reference
  for (std::size_t p = 0; p < scores.size(); ++p) {
    const bool equals_other = !compared || scores[p] == expected.others[p];
    if (exact != expected.pairs.end() && *exact == p) {
      const std::int32_t expected_score = expected.scores[static_cast<std::size_t>(exact - expected.pairs.begin())];
      wrong += scores[p] != expected_score || !equals_other;
      ++exact;
      continue;
    }
    const std::size_t q = p / expected.subjects, s = p % expected.subjects;
    std::int64_t minimum = 0;
    for (std::uint32_t set = expected.subject_symbols[s]; set != 0; set &= set - 1) {
      const auto symbol = static_cast<std::size_t>(std::countr_zero(set));
      minimum = std::max<std::int64_t>(minimum, expected.query_best[q * code_limit + symbol]);
    }
    wrong +=
        !equals_other || scores[p] < minimum || scores[p] > std::min(expected.query_max[q], expected.subject_max[s]);
  }
  return core::Verdict::from_error(static_cast<double>(wrong), 0, oracle);
}

namespace {

/// The result of checking an end point by the reference.
struct EndCheck {
  int wrong = 0;         // number of checks that failed
  bool reached = false;  // whether the reference found the score at the end point
  std::string oracle;    // describes the checks
};

/// Compares the end point with the reference's: exactly up to effort.all_cells, otherwise in parts of the table of
/// effort.sample_cells in all.
EndCheck check_end(Codes query, Codes subject, const Scoring& scoring, const EndPoint& end,
                   const OracleEffort& effort) {
  if (static_cast<double>(query.size()) * static_cast<double>(subject.size()) <= effort.all_cells) {
    const reference::Best best = reference::best(query, subject, scoring);
    const bool right = best.score == end.score && static_cast<std::int64_t>(best.query_end) == end.query_end &&
                       static_cast<std::int64_t>(best.subject_end) == end.subject_end;
    return {right ? 0 : 1, right, "serial reference"};
  }
  constexpr std::uint64_t parts = 6;            // one ends at the end point, the others are at random
  constexpr std::uint64_t stream = 0x70616972;  // an arbitrary seed
  // Rows and columns of a part.
  const auto max_length = static_cast<std::size_t>(std::sqrt(effort.sample_cells / parts));
  EndCheck check{
      0, false,
      "serial reference on " + std::to_string(parts) + " parts of the table, one of them ending at the end point"};
  const auto inside = [](std::int32_t position, Codes codes) {
    return position >= 0 && static_cast<std::size_t>(position) <= codes.size();
  };
  if (end.score < 0 || !inside(end.query_end, query) || !inside(end.subject_end, subject) ||
      (end.score > 0) != (end.query_end > 0 && end.subject_end > 0)) {
    check.wrong = 1;
    return check;
  }
  const auto last_before = [max_length](Codes codes, std::int32_t position) {
    const auto count = static_cast<std::size_t>(position), length = std::min(max_length, count);
    return codes.subspan(count - length, length);
  };
  const auto random_part = [max_length](Codes codes, std::uint64_t k) {
    const std::size_t length = std::min(max_length, codes.size());
    return codes.subspan(core::random_bits(stream, k) % (codes.size() - length + 1), length);
  };
  const Codes rows = last_before(query, end.query_end), columns = last_before(subject, end.subject_end);
  const reference::Best last = reference::best(rows, columns, scoring);
  check.reached = last.score == end.score;
  check.wrong += last.score > end.score;
  // If several cells have the best score, the end point is the first of them, so that the part has no earlier one.
  check.wrong +=
      check.reached && end.score > 0 && (last.query_end != rows.size() || last.subject_end != columns.size());
  for (std::uint64_t k = 1; k < parts; ++k)
    check.wrong +=
        reference::best(random_part(query, 2 * k), random_part(subject, 2 * k + 1), scoring).score > end.score;
  return check;
}

/// Whether `found` ends at the end point, and its CIGAR, rescored residue by residue, has the score.
bool is_alignment_of(const Alignment& found, Codes query, Codes subject, const Scoring& scoring, const EndPoint& end) {
  if (found.score != end.score || found.query_end != end.query_end || found.subject_end != end.subject_end)
    return false;
  if (end.score == 0) return found.cigar.empty();
  try {
    return rescore(query, subject, scoring, found.query_begin, found.subject_begin, found.cigar) == end.score;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

}  // namespace

core::Verdict verify_pair(Codes query, Codes subject, const Scoring& scoring, const EndPoint& end,
                          const std::function<Alignment()>& align, bool always_align, const OracleEffort& effort,
                          const Evidence& evidence) {
  EndCheck check = check_end(query, subject, scoring, end, effort);
  if (check.wrong == 0 && (always_align || !check.reached)) {
    check.wrong += !is_alignment_of(align(), query, subject, scoring, end);
    check.oracle += ", and an alignment that ends there, rescored residue by residue";
  }
  if (!evidence.oracle.empty()) check.oracle += ", " + evidence.oracle;
  return core::Verdict::from_error(static_cast<double>(check.wrong) + static_cast<double>(evidence.wrong), 0,
                                   check.oracle + "; number of checks that failed");
}

}  // namespace speedwell::alignment

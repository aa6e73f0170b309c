#include "speedwell/apps/alignment/database_search/scoring_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "speedwell/apps/alignment/scoring/matrix_file.hpp"

namespace speedwell::database_search {
namespace {

using alignment::Alphabet;

constexpr int default_match = 2, default_mismatch = -3;

bool has_match_scores(const ScoringRequest& o) { return o.match || o.mismatch; }

bool is_published(const std::string& matrix) {
  const auto names = alignment::matrix_names();
  const auto same = [&](const std::string& name) {
    return std::equal(name.begin(), name.end(), matrix.begin(), matrix.end(),
                      [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
  };
  return std::any_of(names.begin(), names.end(), same);
}

alignment::SubstitutionMatrix matrix_of(const ScoringRequest& o, Alphabet alphabet) {
  if (has_match_scores(o) || (o.matrix.empty() && alphabet == Alphabet::dna))
    return alignment::match_mismatch(o.match.value_or(default_match), o.mismatch.value_or(default_mismatch));
  if (o.matrix.empty()) return alignment::named_matrix("BLOSUM62");
  // A word that is neither a file nor like one is a mistyped name: the nearest is named.
  const bool like_a_file = o.matrix.find_first_of("/.") != std::string::npos || std::filesystem::exists(o.matrix);
  if (is_published(o.matrix) || !like_a_file) return alignment::named_matrix(o.matrix);
  return alignment::read_matrix(o.matrix, alphabet);
}

// The costs that BLAST takes with each matrix, as open + k * extend. Nothing for tables without a customary pair.
std::optional<std::pair<int, int>> customary_costs(const ScoringRequest& o,
                                                   const alignment::SubstitutionMatrix& matrix) {
  struct Row {
    std::string_view name;
    int open, extend;
  };
  constexpr Row rows[] = {{"BLOSUM45", 14, 2}, {"BLOSUM50", 13, 2}, {"BLOSUM62", 11, 1}, {"BLOSUM80", 10, 1},
                          {"BLOSUM90", 10, 1}, {"PAM30", 9, 1},     {"PAM70", 10, 1},    {"BLOSUM62-classic", 11, 1},
                          {"PAM250", 14, 2},   {"NUC.4.4", 10, 6}};
  if (matrix.alphabet() == Alphabet::dna && o.matrix.empty()) return std::pair{5, 2};
  if (!o.matrix.empty() && !is_published(o.matrix)) return std::nullopt;
  for (const Row& row : rows)
    if (row.name == matrix.name()) return std::pair{row.open, row.extend};
  return std::nullopt;
}

void set_gap_costs(const ScoringRequest& o, const RequestNames& names, alignment::Scoring& scoring) {
  const auto customary = customary_costs(o, scoring.matrix);
  if (!customary && !(o.gap_open && o.gap_extend))
    throw RequestError(fmt::format("{} has no customary gap costs: name both", o.matrix),
                       fmt::format("{} N {} N", names.gap_open, names.gap_extend));
  scoring.gap_extend = o.gap_extend ? *o.gap_extend : customary->second;
  scoring.gap_open = o.gap_open ? *o.gap_open : customary->first;
  if (o.gap_first && o.gap_open) {
    if (*o.gap_open < scoring.gap_extend)
      throw RequestError(
          fmt::format("{} first: the first residue of a gap costs {}, less than the {} of every further one",
                      names.gap_convention, *o.gap_open, scoring.gap_extend),
          "");
    scoring.gap_open -= scoring.gap_extend;
  }
  if (scoring.gap_open == 0 && scoring.gap_extend == 0)
    throw RequestError(fmt::format("gaps are free: {} or {} must be at least 1", names.gap_open, names.gap_extend), "");
}

std::string list(const std::vector<std::pair<int, int>>& costs) {
  std::string text;
  for (const auto& [open, extend] : costs) text += fmt::format("{}{},{}", text.empty() ? "" : " ", open, extend);
  return text;
}

void set_statistics(const ScoringRequest& o, const RequestNames& names, ResolvedScoring& r) {
  const Alphabet alphabet = r.scoring.matrix.alphabet();
  const std::string bound = names.min_score + " S bounds the score";
  if (o.evalue_method == EvalueMethod::none) {
    if (o.max_evalue)
      throw RequestError(fmt::format("{} has no meaning with {} none", names.max_evalue, names.evalue_method), bound);
    return;
  }
  const int open = r.scoring.gap_open, extend = r.scoring.gap_extend;
  const bool match_scores = has_match_scores(o) || (o.matrix.empty() && alphabet == Alphabet::dna);
  const int match = o.match.value_or(default_match), mismatch = o.mismatch.value_or(default_mismatch);
  const bool published =
      match_scores || o.matrix.empty() || is_published(o.matrix);  // a user's own table may bear any name
  if (match_scores)
    r.statistics = alignment::published_statistics(match, mismatch, open, extend);
  else if (published)
    r.statistics = alignment::published_statistics(r.scoring.matrix.name(), open, extend);
  if (!r.statistics) {
    const std::string why =
        fmt::format("no statistics are published for {} with gap costs {} + k * {}", r.name, open, extend);
    const auto costs = match_scores ? alignment::published_gap_costs(match, mismatch)
                       : published  ? alignment::published_gap_costs(r.scoring.matrix.name())
                                    : std::vector<std::pair<int, int>>{};
    const std::string hint =
        costs.empty() ? bound : fmt::format("they are for {},{} {}", names.gap_open, names.gap_extend, list(costs));
    if (o.max_evalue || o.evalue_method) throw RequestError(why, hint);
    r.note = why + ": bit scores and E-values are *";
    return;
  }
  if (o.evalue_method == EvalueMethod::finite_size && !r.statistics->finite_size())
    throw RequestError("the finite-size correction is not published for DNA",
                       names.evalue_method + " " + names.karlin_altschul);
  r.finite_size = r.statistics->finite_size() && o.evalue_method != EvalueMethod::karlin_altschul;
  r.max_evalue = o.max_evalue.value_or(10.0);
}

}  // namespace

std::optional<Alphabet> alphabet_of(const ScoringRequest& o) {
  if (o.alphabet) return o.alphabet;
  if (has_match_scores(o)) return Alphabet::dna;
  if (!o.matrix.empty() && is_published(o.matrix)) return alignment::named_matrix(o.matrix).alphabet();
  return std::nullopt;
}

ResolvedScoring resolve_scoring(const ScoringRequest& o, Alphabet alphabet, const RequestNames& names) {
  if (has_match_scores(o) && !o.matrix.empty())
    throw RequestError(fmt::format("{} and {} are given in place of {}", names.match, names.mismatch, names.matrix),
                       "");
  if (has_match_scores(o) && alphabet == Alphabet::protein)
    throw RequestError(fmt::format("{} and {} are for DNA; proteins need a matrix", names.match, names.mismatch), "");
  ResolvedScoring resolved{.scoring = {.matrix = matrix_of(o, alphabet)}, .name = o.matrix};
  const alignment::SubstitutionMatrix& matrix = resolved.scoring.matrix;
  if (matrix.alphabet() != alphabet)
    throw RequestError(fmt::format("{} is a matrix for {}", o.matrix, alphabet == Alphabet::dna ? "proteins" : "DNA"),
                       "");
  if (has_match_scores(o) || (o.matrix.empty() && alphabet == Alphabet::dna))
    resolved.name =
        fmt::format("match {}, mismatch {}", o.match.value_or(default_match), o.mismatch.value_or(default_mismatch));
  else if (o.matrix.empty() || is_published(o.matrix))
    resolved.name = matrix.name();
  set_gap_costs(o, names, resolved.scoring);
  set_statistics(o, names, resolved);
  return resolved;
}

std::string describe(const ResolvedScoring& r) {
  const std::int64_t open = r.scoring.gap_open, extend = r.scoring.gap_extend;
  return fmt::format("{}, gaps of 1 and 2 residues cost {} and {} ({} + k * {})", r.name, open + extend,
                     open + 2 * extend, open, extend);
}

}  // namespace speedwell::database_search

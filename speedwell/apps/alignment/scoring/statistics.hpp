// The statistical significance of local alignment scores: bit scores and E-values from the published parameters of
// BLAST.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace speedwell::alignment {

/// Parameters of the distribution of optimal local scores between random sequences. lambda and K are Karlin and
/// Altschul's; H is the relative entropy; alpha and beta give the expected length of an alignment of a given score,
/// alpha_v and sigma the variance and covariance of its two lengths (0: not published, as for DNA).
struct ScoreDistribution {
  double lambda = 0, k = 0, h = 0, alpha = 0, beta = 0, alpha_v = 0, sigma = 0;
};

/// The published parameters of one scoring system. Gap costs are those of `Scoring`: open + k * extend.
struct ScoreStatistics {
  int gap_open = 0, gap_extend = 0;
  ScoreDistribution gapped, ungapped;
  /// The parameters hold for even scores only: an odd score counts as the even one below it in E-values (not in bits).
  bool even_scores = false;

  /// Whether the finite-size correction (evalue_fsc) is published, too: for protein matrices.
  bool finite_size() const { return gapped.alpha_v > 0; }
};

/// The published statistics of a protein matrix (a name of named_matrix) or of NUC.4.4, which is match 5, mismatch -4.
/// Nothing if there are none for these costs: E-values must not be guessed.
std::optional<ScoreStatistics> published_statistics(std::string_view matrix, int gap_open, int gap_extend);
/// The same for DNA scored by match and mismatch (negative).
std::optional<ScoreStatistics> published_statistics(int match, int mismatch, int gap_open, int gap_extend);
/// The gap costs, open and extend, with statistics for a matrix, or for match and mismatch; empty if there are none.
std::vector<std::pair<int, int>> published_gap_costs(std::string_view matrix);
std::vector<std::pair<int, int>> published_gap_costs(int match, int mismatch);

/// (lambda S - ln K) / ln 2.
double bit_score(const ScoreStatistics& statistics, std::int64_t score);

/// The search space: lengths in residues.
struct SearchSpace {
  std::int64_t query_length = 0, database_residues = 0, database_sequences = 1;
};

/// The largest l >= 0 with l <= (alpha / lambda) ln(K (m - l) (n - N l)) + beta, by which every sequence is shortened
/// for the alignments that would run over its end (Altschul et al. 2001). l stays where K (m - l) (n - N l) > max(m,
/// n).
std::int64_t length_adjustment(const ScoreStatistics& statistics, const SearchSpace& space);
/// E = K (m - l) (n - N l) exp(-lambda S): expected number of chance hits of at least `score`.
double evalue_ka(const ScoreStatistics& statistics, std::int64_t score, const SearchSpace& space);
/// Spouge's finite-size correction (Park et al. 2012), for a subject of `subject_length` residues; what blastp prints
/// without composition statistics. Throws std::invalid_argument if it is not published for the scoring system.
double evalue_fsc(const ScoreStatistics& statistics, std::int64_t score, const SearchSpace& space,
                  std::int64_t subject_length);

}  // namespace speedwell::alignment

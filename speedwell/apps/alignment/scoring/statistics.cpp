#include "speedwell/apps/alignment/scoring/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>

#include "speedwell/apps/alignment/scoring/statistics_tables.hpp"

namespace speedwell::alignment {
namespace {

std::span<const tables::ProteinRow> protein_rows(std::string_view matrix) {
  // The classic BLOSUM62 differs from NCBI's in the rows of B, Z and X, which random proteins do not contain.
  if (matrix == "BLOSUM62" || matrix == "BLOSUM62-classic") return tables::blosum62;
  if (matrix == "BLOSUM45") return tables::blosum45;
  if (matrix == "BLOSUM50") return tables::blosum50;
  if (matrix == "BLOSUM80") return tables::blosum80;
  if (matrix == "BLOSUM90") return tables::blosum90;
  if (matrix == "PAM30") return tables::pam30;
  if (matrix == "PAM70") return tables::pam70;
  if (matrix == "PAM250") return tables::pam250;
  return {};
}

constexpr int nuc_match = 5, nuc_mismatch = -4;  // NUC.4.4 on A, C, G, T

std::int64_t scored(const ScoreStatistics& statistics, std::int64_t score) {
  return statistics.even_scores ? score - (score & 1) : score;
}

// The terms of the finite-size correction that depend on the length of one of the two sequences.
struct Edge {
  double probability;  // that an alignment of this score fits: Phi(l / sqrt(v))
  double length;       // the mean of max(l + sqrt(v) Z, 0), Z standard normal: where such an alignment may start
};

Edge edge(double length, double mean, double variance) {
  const double l = length - mean;
  const double deviation = std::sqrt(variance);
  const double f = l / deviation;
  const double probability = 0.5 * std::erfc(-f / std::sqrt(2.0));
  constexpr double normal_at_zero = 0.3989422804014327;  // 1 / sqrt(2 pi)
  return {probability, l * probability + deviation * normal_at_zero * std::exp(-0.5 * f * f)};
}

}  // namespace

std::optional<ScoreStatistics> published_statistics(std::string_view matrix, int gap_open, int gap_extend) {
  if (matrix == "NUC.4.4") return published_statistics(nuc_match, nuc_mismatch, gap_open, gap_extend);
  const auto rows = protein_rows(matrix);
  for (std::size_t i = 1; i < rows.size(); ++i)  // row 0: without gaps
    if (rows[i].gap_open == gap_open && rows[i].gap_extend == gap_extend)
      return ScoreStatistics{gap_open, gap_extend, rows[i].distribution, rows[0].distribution, false};
  return std::nullopt;
}

std::optional<ScoreStatistics> published_statistics(int match, int mismatch, int gap_open, int gap_extend) {
  for (const tables::DnaRow& row : tables::dna_rows)
    if (row.match == match && row.mismatch == mismatch && row.gap_open == gap_open && row.gap_extend == gap_extend)
      return ScoreStatistics{gap_open, gap_extend, row.distribution, {}, tables::scores_are_even(match, mismatch)};
  return std::nullopt;
}

std::vector<std::pair<int, int>> published_gap_costs(std::string_view matrix) {
  if (matrix == "NUC.4.4") return published_gap_costs(nuc_match, nuc_mismatch);
  std::vector<std::pair<int, int>> costs;
  const auto rows = protein_rows(matrix);
  for (std::size_t i = 1; i < rows.size(); ++i) costs.emplace_back(rows[i].gap_open, rows[i].gap_extend);
  return costs;
}

std::vector<std::pair<int, int>> published_gap_costs(int match, int mismatch) {
  std::vector<std::pair<int, int>> costs;
  for (const tables::DnaRow& row : tables::dna_rows)
    if (row.match == match && row.mismatch == mismatch) costs.emplace_back(row.gap_open, row.gap_extend);
  return costs;
}

double bit_score(const ScoreStatistics& statistics, std::int64_t score) {
  const auto& [lambda, k, h, alpha, beta, alpha_v, sigma] = statistics.gapped;
  return (lambda * static_cast<double>(score) - std::log(k)) / std::log(2.0);
}

std::int64_t length_adjustment(const ScoreStatistics& statistics, const SearchSpace& space) {
  const ScoreDistribution& p = statistics.gapped;
  const auto m = static_cast<double>(space.query_length);
  const auto n = static_cast<double>(space.database_residues);
  const auto count = static_cast<double>(space.database_sequences);
  // Left sides grow with l and right sides fall, so the l that hold are 0 … answer: bisect.
  const auto holds = [&](std::int64_t l) {
    const auto x = static_cast<double>(l);
    if (x >= m || count * x >= n) return false;
    const double pairs = p.k * (m - x) * (n - count * x);
    return pairs > std::max(m, n) && x <= p.alpha / p.lambda * std::log(pairs) + p.beta;
  };
  std::int64_t low = 0, high = space.query_length + 1;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

double evalue_ka(const ScoreStatistics& statistics, std::int64_t score, const SearchSpace& space) {
  const auto l = static_cast<double>(length_adjustment(statistics, space));
  const double m = static_cast<double>(space.query_length) - l;
  const double n = static_cast<double>(space.database_residues) - static_cast<double>(space.database_sequences) * l;
  return statistics.gapped.k * m * n *
         std::exp(-statistics.gapped.lambda * static_cast<double>(scored(statistics, score)));
}

double evalue_fsc(const ScoreStatistics& statistics, std::int64_t score, const SearchSpace& space,
                  std::int64_t subject_length) {
  if (!statistics.finite_size())
    throw std::invalid_argument("evalue_fsc: no finite-size parameters are published for this scoring system");
  if (subject_length <= 0) return 0;  // nothing can be hit in it
  const ScoreDistribution& gapped = statistics.gapped;
  const ScoreDistribution& ungapped = statistics.ungapped;
  const double y = static_cast<double>(scored(statistics, score));
  const double two_gaps = 2.0 * (statistics.gap_open + statistics.gap_extend);
  const double b = two_gaps * (ungapped.alpha - gapped.alpha);
  const double b_v = two_gaps * (ungapped.alpha_v - gapped.alpha_v);
  const double tau = two_gaps * (ungapped.alpha_v - gapped.sigma);
  const double mean = gapped.alpha * y + b;
  const double variance = std::max(2 * gapped.alpha_v / gapped.lambda, gapped.alpha_v * y + b_v);
  const double covariance = std::max(2 * gapped.sigma / gapped.lambda, gapped.sigma * y + tau);
  const Edge query = edge(static_cast<double>(space.query_length), mean, variance);
  const Edge subject = edge(static_cast<double>(subject_length), mean, variance);
  // Never negative but for rounding where both sequences are far shorter than an alignment of this score.
  const double area =
      std::max(0.0, query.length * subject.length + covariance * query.probability * subject.probability);
  return area * gapped.k * std::exp(-gapped.lambda * y) * static_cast<double>(space.database_residues) /
         static_cast<double>(subject_length);
}

}  // namespace speedwell::alignment

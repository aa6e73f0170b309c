// From the options of `speedwell align` to a scoring system and its statistics.
#pragma once

#include <optional>
#include <string>

#include "speedwell/apps/alignment/scoring.hpp"
#include "speedwell/apps/alignment/statistics.hpp"
#include "speedwell/cli/align.hpp"

namespace speedwell::cli {

struct ResolvedScoring {
  alignment::Scoring scoring;
  std::string name;  // "BLOSUM62", "match 2, mismatch -3"
  std::optional<alignment::ScoreStatistics> statistics{};
  bool finite_size = false;        // which E-value
  std::optional<double> evalue{};  // the largest to report
  std::string note{};              // why there are no E-values although the options do not exclude them, or empty
};

/// The alphabet that the options alone decide.
std::optional<alignment::Alphabet> alphabet_of(const AlignOptions& options);

/// Throws std::invalid_argument where options contradict each other or the alphabet, gaps are free, or E-values are
/// requested for which no parameters have been published; io::InputError for a matrix file.
ResolvedScoring resolve_scoring(const AlignOptions& options, alignment::Alphabet alphabet);

/// "BLOSUM62, gaps of 1 and 2 residues cost 12 and 13 (11 + k * 1)".
std::string describe(const ResolvedScoring& resolved);

}  // namespace speedwell::cli

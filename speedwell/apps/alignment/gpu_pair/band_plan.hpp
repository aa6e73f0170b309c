// Properties of the residues and scores of one huge pair for its sweep (band.hpp): residues with equal scores, and the
// range of a warp's scores in 16 bits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_problem.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_scores.hpp"

namespace speedwell::alignment {

/// Residues that have equal scores with every residue of both sequences are one class. The last class is padding: its
/// scores with all classes are negative, so that no alignment gains by passing through it.
struct ResidueClasses {
  int count = 0;
  std::array<std::uint8_t, code_limit> of_code{};
  std::array<std::int8_t, ResidueScores::max_classes * ResidueScores::max_classes> scores{};  // count x count
  int highest = 0;  // the highest score of two residues, at least 0
};
/// The classes of the residues that occur in the two sequences. Residues that do not occur are in class 0.
ResidueClasses classify(Codes query, Codes subject, const SubstitutionMatrix& matrix);

/// The window of a band of `rows` query rows, or none if its scores may span more than 16 bits. `highest`: the highest
/// score of two residues, at least 0. `gap_open`, `gap_extend`: gap penalties, at least 0; the first residue of a gap
/// costs both.
std::optional<Window> find_window(int rows, int highest, std::int64_t gap_open, std::int64_t gap_extend);

}  // namespace speedwell::alignment

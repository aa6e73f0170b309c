// What the sweep of one huge pair (band.hpp) has to know about its letters and scores: which letters score alike, and
// where in 16 bits the scores of a warp may lie.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_problem.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_scores.hpp"

namespace speedwell::alignment {

/// Letters that score alike with every letter of both sequences are one class. The last class is padding: its scores
/// with all classes are negative, so that no path through it gains.
struct LetterClasses {
  int count = 0;
  std::array<std::uint8_t, code_limit> of_code{};
  std::array<std::int8_t, LetterScores::most_classes * LetterScores::most_classes> scores{};  // count x count
  int highest = 0;                                                                            // 0 at least
};
LetterClasses classify(Codes query, Codes subject, const SubstitutionMatrix& matrix);

/// The window of a band of `rows` query rows, or nothing if its scores may spread over more than 16 bits.
std::optional<Window> find_window(int rows, int highest, std::int64_t gap_open, std::int64_t gap_extend);

}  // namespace speedwell::alignment

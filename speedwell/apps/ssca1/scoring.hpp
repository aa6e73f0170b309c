// Scores of pairs of symbols and gap costs of SSCA#1, for alphabets of up to 256 symbols.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace speedwell::ssca1 {

using Codes = std::span<const std::uint8_t>;

/// codons: 64 symbols, see codons.hpp; nucleotides: A = 0, C = 1, G = 2, T = 3.
enum class Alphabet { codons, nucleotides };
inline int symbol_count(Alphabet alphabet) { return alphabet == Alphabet::codons ? 64 : 4; }

/// The scores of the sources. `similar` is for two codons of the same amino acid, or two stops; nucleotides have none.
///                exact  similar  dissimilar  gap_open  gap_extend
///   dissertation    5       -3       -3          8          1       the dissertation of 2012, chapter 4
///   ssca1           5        4       -3          8          1       C executable specification of SSCA#1 v1.0
///   ornl            5        4       -3          5          2       Oak Ridge's port of it
enum class Preset { dissertation, ssca1, ornl };

/// A gap of k symbols costs gap_open + k * gap_extend.
class Scoring {
 public:
  /// scores[match * symbols + main]. Throws std::invalid_argument unless 1 <= symbols <= 256, there are symbols^2
  /// scores, the absolute values of scores and costs are at most 2^24, and no cost is negative.
  Scoring(std::string name, int symbols, std::vector<std::int32_t> scores, int gap_open, int gap_extend);

  const std::string& name() const { return name_; }
  int symbols() const { return symbols_; }
  std::int32_t score(int match, int main) const {
    return scores_[static_cast<std::size_t>(match) * static_cast<std::size_t>(symbols_) +
                   static_cast<std::size_t>(main)];
  }
  /// Row-major, one row per symbol of match.
  std::span<const std::int32_t> scores() const { return scores_; }
  std::int32_t highest() const { return highest_; }
  std::int32_t lowest() const { return lowest_; }
  std::int32_t gap_open() const { return gap_open_; }
  std::int32_t gap_extend() const { return gap_extend_; }

 private:
  std::string name_;
  int symbols_;
  std::vector<std::int32_t> scores_;
  std::int32_t gap_open_, gap_extend_, highest_ = 0, lowest_ = 0;
};

Scoring scoring(Preset preset, Alphabet alphabet);
/// "dissertation", "ssca1" or "ornl"; throws std::invalid_argument, which names the closest of these.
Preset preset_named(std::string_view name);
std::string_view to_string(Preset preset);
/// `exact` for equal symbols and `dissimilar` for all others.
Scoring flat_scoring(int symbols, int exact, int dissimilar, int gap_open, int gap_extend);

/// Throws std::invalid_argument if the code is not a symbol of the scoring.
void require_symbol(const Scoring& scoring, std::uint8_t code);
/// Throws as require_symbol() for every code of both sequences, and as require_bounded().
void require_exact(const Scoring& scoring, Codes main, Codes match);
/// Throws std::invalid_argument if a score could exceed 2^30: the highest score times the shorter of the lengths.
void require_bounded(const Scoring& scoring, std::size_t main_length, std::size_t match_length);

}  // namespace speedwell::ssca1

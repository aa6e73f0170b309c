#include "speedwell/apps/alignment/gpu_pair/band_plan.hpp"

#include <algorithm>
#include <vector>

namespace speedwell::alignment {
namespace {

void note_codes(Codes codes, std::array<bool, code_limit>& present) {
  // A byte-wise histogram is limited by its additions; marks are not.
  for (const std::uint8_t code : codes) present[code % code_limit] = true;
}

}  // namespace

ResidueClasses classify(Codes query, Codes subject, const SubstitutionMatrix& matrix) {
  std::array<bool, code_limit> present{};
  note_codes(query, present);
  note_codes(subject, present);
  std::vector<int> codes, of_class;  // those that occur; the first code of each class
  for (int code = 0; code < code_limit; ++code)
    if (present[static_cast<std::size_t>(code)]) codes.push_back(code);

  ResidueClasses classes;
  const auto alike = [&](int a, int b) {
    return std::all_of(codes.begin(), codes.end(), [&](int c) { return matrix.score(a, c) == matrix.score(b, c); });
  };
  const auto gains = [&](int a) {
    return std::any_of(codes.begin(), codes.end(), [&](int c) { return matrix.score(a, c) >= 0; });
  };
  // A class without positive scores is last and also serves as padding.
  std::stable_sort(codes.begin(), codes.end(), [&](int a, int b) { return gains(a) && !gains(b); });
  for (const int code : codes) {
    std::size_t k = 0;
    while (k < of_class.size() && !alike(of_class[k], code)) ++k;
    if (k == of_class.size()) of_class.push_back(code);
    classes.of_code[static_cast<std::size_t>(code)] = static_cast<std::uint8_t>(k);
  }
  const bool needs_padding = of_class.empty() || gains(of_class.back());
  classes.count = static_cast<int>(of_class.size()) + (needs_padding ? 1 : 0);
  for (int a = 0; a < classes.count; ++a)
    for (int b = 0; b < classes.count; ++b) {
      const bool padding = needs_padding && (a == classes.count - 1 || b == classes.count - 1);
      const int score =
          padding ? -128 : matrix.score(of_class[static_cast<std::size_t>(a)], of_class[static_cast<std::size_t>(b)]);
      classes.scores[static_cast<std::size_t>(a * classes.count + b)] = static_cast<std::int8_t>(score);
      classes.highest = std::max(classes.highest, score);
    }
  return classes;
}

std::optional<Window> find_window(int rows, int highest, std::int64_t gap_open, std::int64_t gap_extend) {
  constexpr std::int64_t maximum = Pair16::largest;
  if (gap_open > maximum || gap_extend > maximum) return std::nullopt;
  const std::int64_t per_residue = highest + gap_extend;
  // Cells of two consecutive chunks, including the row above the band, have at most this distance.
  const std::int64_t apart = rows + 2 * chunk_columns + band_lag;
  // The lower bound of the H of the next chunk relative to the best of this one, ...
  const std::int64_t below = apart * per_residue + 4 * gap_open;
  // ... and the upper bound: each has a neighbour in this chunk, or below the row above, chunk_columns to its left.
  const std::int64_t above = (chunk_columns + 1) * per_residue + 4 * gap_open;
  const std::int64_t slack = gap_open + (sampled_rows - 1) * gap_extend;
  // E and F, before `open` is subtracted, exceed H by at most that.
  const std::int64_t high = maximum - (gap_open + gap_extend) - slack - above;
  if (below > high) return std::nullopt;
  return Window{.low = static_cast<std::int32_t>(below),
                .high = static_cast<std::int32_t>(high),
                .target = static_cast<std::int32_t>((below + high) / 2),
                .slack = static_cast<std::int32_t>(slack)};
}

}  // namespace speedwell::alignment

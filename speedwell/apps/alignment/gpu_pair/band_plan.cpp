#include "speedwell/apps/alignment/gpu_pair/band_plan.hpp"

#include <algorithm>
#include <vector>

namespace speedwell::alignment {
namespace {

void mark_codes(Codes codes, std::array<bool, code_limit>& present) {
  // Stores of `true` are independent of each other; the additions of a histogram would form chains.
  for (const std::uint8_t code : codes) present[code % code_limit] = true;
}

}  // namespace

ResidueClasses classify(Codes query, Codes subject, const SubstitutionMatrix& matrix) {
  std::array<bool, code_limit> present{};
  mark_codes(query, present);
  mark_codes(subject, present);
  std::vector<int> codes, representatives;  // the codes that occur, and the first one of each class
  for (int code = 0; code < code_limit; ++code)
    if (present[static_cast<std::size_t>(code)]) codes.push_back(code);

  ResidueClasses classes;
  const auto alike = [&](int a, int b) {
    return std::all_of(codes.begin(), codes.end(), [&](int c) { return matrix.score(a, c) == matrix.score(b, c); });
  };
  const auto gains = [&](int a) {
    return std::any_of(codes.begin(), codes.end(), [&](int c) { return matrix.score(a, c) >= 0; });
  };
  // A class with negative scores only, if there is one, is last and also serves as padding.
  std::stable_sort(codes.begin(), codes.end(), [&](int a, int b) { return gains(a) && !gains(b); });
  for (const int code : codes) {
    std::size_t k = 0;
    while (k < representatives.size() && !alike(representatives[k], code)) ++k;
    if (k == representatives.size()) representatives.push_back(code);
    classes.of_code[static_cast<std::size_t>(code)] = static_cast<std::uint8_t>(k);
  }
  const bool needs_padding = representatives.empty() || gains(representatives.back());
  classes.count = static_cast<int>(representatives.size()) + (needs_padding ? 1 : 0);
  for (int a = 0; a < classes.count; ++a)
    for (int b = 0; b < classes.count; ++b) {
      const bool padding = needs_padding && (a == classes.count - 1 || b == classes.count - 1);
      const int score = padding ? -128
                                : matrix.score(representatives[static_cast<std::size_t>(a)],
                                               representatives[static_cast<std::size_t>(b)]);
      classes.scores[static_cast<std::size_t>(a * classes.count + b)] = static_cast<std::int8_t>(score);
      classes.highest = std::max(classes.highest, score);
    }
  return classes;
}

std::optional<Window> find_window(int rows, int highest, std::int64_t gap_open, std::int64_t gap_extend) {
  constexpr std::int64_t maximum = Pair16::largest;
  if (gap_open > maximum || gap_extend > maximum) return std::nullopt;
  const std::int64_t per_residue = highest + gap_extend;
  // The maximum distance, in rows plus columns, of two cells of consecutive chunks or the row above the band.
  const std::int64_t max_distance = rows + 2 * chunk_columns + band_lag;
  // H of the next chunk is at most this far below the largest H of this chunk (band.hpp has the bound).
  const std::int64_t max_drop = max_distance * per_residue + 4 * gap_open;
  // It is at most this far above it: chunk_columns to the left of a cell of the next chunk there is a cell of this
  // chunk, in the same row or, for the row above the band, in the row below.
  const std::int64_t max_rise = (chunk_columns + 1) * per_residue + 4 * gap_open;
  const std::int64_t slack = gap_open + (sampled_rows - 1) * gap_extend;
  // E and F exceed H by at most gap_open + gap_extend before the gap-open penalty is subtracted from them.
  const std::int64_t high = maximum - (gap_open + gap_extend) - slack - max_rise;
  if (max_drop > high) return std::nullopt;
  return Window{.low = static_cast<std::int32_t>(max_drop),
                .high = static_cast<std::int32_t>(high),
                .target = static_cast<std::int32_t>((max_drop + high) / 2),
                .slack = static_cast<std::int32_t>(slack)};
}

}  // namespace speedwell::alignment

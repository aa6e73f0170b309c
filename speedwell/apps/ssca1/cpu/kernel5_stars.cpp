// Kernel 5: centre-star multiple alignment. Gusfield, Algorithms on Strings, Trees, and Sequences (1997), 14.6.2.
// Merging the pairwise alignments one after the other leaves as many columns before each symbol of the centre as the
// longest run of symbols that any member has there, and each member's run begins in the first of these columns: so the
// rows are written directly, without the merges.
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "speedwell/apps/ssca1/cpu/parallel.hpp"
#include "speedwell/apps/ssca1/ssca1.hpp"

namespace speedwell::ssca1 {
namespace {

using Sequence = std::vector<std::uint8_t>;

/// A pairwise alignment with the centre: the symbol aligned with each symbol of the centre, and the number of symbols
/// before it.
struct AgainstCenter {
  std::vector<std::int16_t> under;  // one for each symbol of the centre
  std::vector<std::size_t> before;  // one more entry: the symbols after the last one
};

/// Traced back from the last cell; a pair is preferred to an unpaired symbol of the centre, and this to one of the
/// other member.
AgainstCenter align_pair(const Sequence& center, const Sequence& other, const DifferenceCosts& costs) {
  enum : std::uint8_t { pair, center_alone, other_alone };
  const std::size_t columns = other.size() + 1;
  std::vector<std::uint8_t> directions((center.size() + 1) * columns, other_alone);
  std::vector<std::int32_t> row(columns);
  for (std::size_t y = 0; y < columns; ++y) row[y] = static_cast<std::int32_t>(y) * costs.space;
  for (std::size_t x = 1; x <= center.size(); ++x) {
    std::int32_t diagonal = row[0];
    row[0] += costs.space;
    directions[x * columns] = center_alone;
    for (std::size_t y = 1; y < columns; ++y) {
      const std::int32_t paired = diagonal + (center[x - 1] == other[y - 1] ? 0 : costs.mismatch);
      const std::int32_t center_cost = row[y] + costs.space, other_cost = row[y - 1] + costs.space;
      diagonal = row[y];
      row[y] = std::min({paired, center_cost, other_cost});
      directions[x * columns + y] = row[y] == paired ? pair : row[y] == center_cost ? center_alone : other_alone;
    }
  }
  AgainstCenter made{std::vector<std::int16_t>(center.size(), space_symbol),
                     std::vector<std::size_t>(center.size() + 1, 0)};
  std::size_t x = center.size(), y = other.size();
  while (x > 0 || y > 0) {
    switch (directions[x * columns + y]) {
      case pair:
        made.under[--x] = other[--y];
        break;
      case center_alone:
        --x;
        break;
      default:
        ++made.before[x];
        --y;
    }
  }
  return made;
}

std::vector<std::int16_t> write_row(const Sequence& sequence, const AgainstCenter& aligned,
                                    const std::vector<std::size_t>& widths) {
  std::vector<std::int16_t> row;
  auto next = sequence.begin();
  for (std::size_t p = 0; p < widths.size(); ++p) {
    for (std::size_t k = 0; k < widths[p]; ++k) row.push_back(k < aligned.before[p] ? *next++ : space_symbol);
    if (p == aligned.under.size()) break;
    row.push_back(aligned.under[p]);
    next += aligned.under[p] != space_symbol;
  }
  return row;
}

}  // namespace

StarAlignment align_star(const Members& set, const Differences& differences, const DifferenceCosts& costs) {
  if (differences.members != set.size() || differences.upper.size() * 2 != set.size() * (set.size() - !set.empty()))
    throw std::invalid_argument("differences of " + std::to_string(differences.members) + " members for a set of " +
                                std::to_string(set.size()));
  StarAlignment star;
  const std::size_t k = set.size();
  if (k < 2) return star;
  std::vector<std::int64_t> sums(k, 0);
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < k; ++j) sums[i] += differences(i, j);
  const auto center = static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());
  star.order.resize(k);
  std::iota(star.order.begin(), star.order.end(), std::size_t{0});
  star.order.erase(star.order.begin() + static_cast<std::ptrdiff_t>(center));
  std::stable_sort(star.order.begin(), star.order.end(),
                   [&](std::size_t a, std::size_t b) { return differences(center, a) < differences(center, b); });
  star.order.insert(star.order.begin(), center);

  std::vector<AgainstCenter> aligned;
  std::vector<std::size_t> widths(set[center].size() + 1, 0);
  aligned.push_back({{set[center].begin(), set[center].end()}, widths});
  for (std::size_t r = 1; r < k; ++r) {
    aligned.push_back(align_pair(set[center], set[star.order[r]], costs));
    for (std::size_t p = 0; p < widths.size(); ++p) widths[p] = std::max(widths[p], aligned.back().before[p]);
  }
  for (std::size_t r = 0; r < k; ++r) star.rows.push_back(write_row(set[star.order[r]], aligned[r], widths));
  star.sum_of_pairs = sum_of_pairs(star.rows, costs);
  return star;
}

std::vector<StarAlignment> multiple_align(std::span<const Members> sets, std::span<const Differences> differences,
                                          const DifferenceCosts& costs, const Options& options) {
  if (sets.size() != differences.size())
    throw std::invalid_argument(std::to_string(differences.size()) + " tables of differences for " +
                                std::to_string(sets.size()) + " sets");
  std::vector<StarAlignment> stars(sets.size());
  for_each_item(static_cast<std::int64_t>(sets.size()), options.threads, [&](std::int64_t k) {
    const auto s = static_cast<std::size_t>(k);
    stars[s] = align_star(sets[s], differences[s], costs);
  });
  return stars;
}

std::int64_t sum_of_pairs(std::span<const std::vector<std::int16_t>> rows, const DifferenceCosts& costs) {
  for (const auto& row : rows)
    if (row.size() != rows[0].size()) throw std::invalid_argument("rows of different lengths");
  std::int64_t sum = 0;
  const std::size_t columns = rows.empty() ? 0 : rows[0].size();
  for (std::size_t column = 0; column < columns; ++column) {
    std::int64_t count[256] = {}, symbols = 0, equal_pairs = 0;
    for (const auto& row : rows) {
      if (row[column] == space_symbol) continue;
      equal_pairs += count[row[column]]++;
      ++symbols;
    }
    const std::int64_t spaces = static_cast<std::int64_t>(rows.size()) - symbols;
    sum += (symbols * (symbols - 1) / 2 - equal_pairs) * costs.mismatch + symbols * spaces * costs.space;
  }
  return sum;
}

}  // namespace speedwell::ssca1

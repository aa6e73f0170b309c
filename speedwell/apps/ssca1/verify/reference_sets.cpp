// The reference of kernels 4 and 5: differences of the members of a set, and their multiple alignment.
#include <algorithm>
#include <limits>

#include "speedwell/apps/ssca1/verify/reference.hpp"

namespace speedwell::ssca1::reference {
namespace {

using Grid = std::vector<std::vector<std::int64_t>>;

/// V(x,y) of kernel 4 for all prefixes.
Grid differences(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b, const DifferenceCosts& costs) {
  Grid v(a.size() + 1, std::vector<std::int64_t>(b.size() + 1, 0));
  for (std::size_t x = 0; x <= a.size(); ++x)
    for (std::size_t y = 0; y <= b.size(); ++y) {
      if (x == 0)
        v[x][y] = static_cast<std::int64_t>(y) * costs.space;
      else if (y == 0)
        v[x][y] = static_cast<std::int64_t>(x) * costs.space;
      else
        v[x][y] = std::min({v[x - 1][y - 1] + (a[x - 1] == b[y - 1] ? 0 : costs.mismatch), v[x - 1][y] + costs.space,
                            v[x][y - 1] + costs.space});
    }
  return v;
}

/// Two rows of equal length with spaces: the centre and another member.
struct PairRows {
  std::vector<std::int16_t> center, other;
};

PairRows align_pair(const std::vector<std::uint8_t>& center, const std::vector<std::uint8_t>& other,
                    const DifferenceCosts& costs) {
  const Grid v = differences(center, other, costs);
  PairRows rows;
  std::size_t x = center.size(), y = other.size();
  while (x > 0 || y > 0) {
    if (x > 0 && y > 0 && v[x][y] == v[x - 1][y - 1] + (center[x - 1] == other[y - 1] ? 0 : costs.mismatch)) {
      rows.center.push_back(center[--x]);
      rows.other.push_back(other[--y]);
    } else if (x > 0 && v[x][y] == v[x - 1][y] + costs.space) {
      rows.center.push_back(center[--x]);
      rows.other.push_back(space_symbol);
    } else {
      rows.center.push_back(space_symbol);
      rows.other.push_back(other[--y]);
    }
  }
  std::reverse(rows.center.begin(), rows.center.end());
  std::reverse(rows.other.begin(), rows.other.end());
  return rows;
}

}  // namespace

std::int64_t difference(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b,
                        const DifferenceCosts& costs) {
  return differences(a, b, costs).back().back();
}

StarAlignment align_star(const Members& set, const DifferenceCosts& costs) {
  StarAlignment star;
  const std::size_t k = set.size();
  if (k < 2) return star;
  Grid d(k, std::vector<std::int64_t>(k, 0));
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < k; ++j) d[i][j] = i == j ? 0 : difference(set[i], set[j], costs);
  std::size_t center = 0;
  const auto row_sum = [&](std::size_t i) {
    std::int64_t sum = 0;
    for (const std::int64_t x : d[i]) sum += x;
    return sum;
  };
  for (std::size_t i = 1; i < k; ++i)
    if (row_sum(i) < row_sum(center)) center = i;
  for (std::size_t i = 0; i < k; ++i)
    if (i != center) star.order.push_back(i);
  std::stable_sort(star.order.begin(), star.order.end(),
                   [&](std::size_t a, std::size_t b) { return d[center][a] < d[center][b]; });
  star.order.insert(star.order.begin(), center);

  star.rows.emplace_back(set[center].begin(), set[center].end());
  for (std::size_t r = 1; r < k; ++r) {
    const PairRows pair = align_pair(set[center], set[star.order[r]], costs);
    std::vector<std::vector<std::int16_t>> merged(r + 1);
    const std::vector<std::int16_t>& old_center = star.rows[0];
    std::size_t p = 0, q = 0;  // columns of the previous alignment and of the pair
    while (p < old_center.size() || q < pair.center.size()) {
      const bool old_space = p < old_center.size() && old_center[p] == space_symbol;
      const bool new_space = q < pair.center.size() && pair.center[q] == space_symbol;
      const bool take_old = old_space || !new_space, take_new = new_space || !old_space;
      for (std::size_t row = 0; row < r; ++row) merged[row].push_back(take_old ? star.rows[row][p] : space_symbol);
      merged[r].push_back(take_new ? pair.other[q] : space_symbol);
      p += take_old;
      q += take_new;
    }
    star.rows = std::move(merged);
  }
  for (std::size_t column = 0; column < star.rows[0].size(); ++column)
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = i + 1; j < k; ++j) {
        const std::int16_t a = star.rows[i][column], b = star.rows[j][column];
        if (a == b) continue;
        star.sum_of_pairs += a == space_symbol || b == space_symbol ? costs.space : costs.mismatch;
      }
  return star;
}

}  // namespace speedwell::ssca1::reference

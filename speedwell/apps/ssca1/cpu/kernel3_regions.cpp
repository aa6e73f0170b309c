#include "speedwell/apps/ssca1/cpu/kernel3_regions.hpp"

#include <algorithm>
#include <set>

namespace speedwell::ssca1 {
namespace {

bool comes_first(const SimilarRegion& a, const SimilarRegion& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.end != b.end ? a.end < b.end : a.begin < b.begin;
}

/// Whether the set has a number whose distance from `value` is below `distance`.
bool has_near(const std::set<std::int64_t>& numbers, std::int64_t value, std::int64_t distance) {
  if (distance <= 0) return false;
  const auto next = numbers.lower_bound(value - distance + 1);
  return next != numbers.end() && *next < value + distance;
}

/// The greedy selection with ends and begins at least `separation` apart. `used`: the number of regions that were
/// tested.
std::vector<SimilarRegion> choose(const std::vector<SimilarRegion>& sorted, std::int64_t separation, std::size_t count,
                                  std::size_t& used) {
  std::vector<SimilarRegion> accepted;
  std::set<std::int64_t> ends, begins;
  for (used = 0; used < sorted.size() && accepted.size() < count; ++used) {
    const SimilarRegion& region = sorted[used];
    if (has_near(ends, region.end, separation) || has_near(begins, region.begin, separation)) continue;
    accepted.push_back(region);
    ends.insert(region.end);
    begins.insert(region.begin);
  }
  return accepted;
}

}  // namespace

std::vector<SimilarRegion> RegionList::accepted() {
  std::sort(regions_.begin(), regions_.end(), comes_first);
  std::size_t used = 0;
  return choose(regions_, rules_.separation, rules_.count, used);
}

void RegionList::drop() {
  std::sort(regions_.begin(), regions_.end(), comes_first);
  std::size_t used = 0;
  const std::size_t enough = 2 * rules_.count;
  const std::int64_t apart = rules_.separation > 0 ? 2 * rules_.separation - 1 : 0;
  if (choose(regions_, apart, enough, used).size() == enough) {
    regions_.resize(used);
    if (!regions_.empty()) score_ = regions_.back().score;
  }
  limit_ = std::max(limit_, 2 * regions_.size());
}

}  // namespace speedwell::ssca1

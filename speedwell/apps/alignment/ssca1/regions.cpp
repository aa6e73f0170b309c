#include "speedwell/apps/alignment/ssca1/places.hpp"

#include <algorithm>
#include <set>

namespace speedwell::alignment::ssca1 {
namespace {

bool comes_first(const Place& a, const Place& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.end != b.end ? a.end < b.end : a.begin < b.begin;
}

/// Whether a number nearer than `distance` to `value` is in the set.
bool has_near(const std::set<std::int64_t>& numbers, std::int64_t value, std::int64_t distance) {
  if (distance <= 0) return false;
  const auto next = numbers.lower_bound(value - distance + 1);
  return next != numbers.end() && *next < value + distance;
}

/// The greedy choice with both ends and begins at least `separation` apart. `used`: how many places were looked at.
std::vector<Place> choose(const std::vector<Place>& sorted, std::int64_t separation, std::size_t count,
                          std::size_t& used) {
  std::vector<Place> accepted;
  std::set<std::int64_t> ends, begins;
  for (used = 0; used < sorted.size() && accepted.size() < count; ++used) {
    const Place& place = sorted[used];
    if (has_near(ends, place.end, separation) || has_near(begins, place.begin, separation)) continue;
    accepted.push_back(place);
    ends.insert(place.end);
    begins.insert(place.begin);
  }
  return accepted;
}

}  // namespace

std::vector<Place> Places::accepted() {
  std::sort(places_.begin(), places_.end(), comes_first);
  std::size_t used = 0;
  return choose(places_, rules_.separation, rules_.count, used);
}

void Places::drop() {
  std::sort(places_.begin(), places_.end(), comes_first);
  std::size_t used = 0;
  const std::size_t enough = 2 * rules_.count;
  const std::int64_t apart = rules_.separation > 0 ? 2 * rules_.separation - 1 : 0;
  if (choose(places_, apart, enough, used).size() == enough) {
    places_.resize(used);
    if (!places_.empty()) score_ = places_.back().score;
  }
  limit_ = std::max(limit_, 2 * places_.size());
}

}  // namespace speedwell::alignment::ssca1

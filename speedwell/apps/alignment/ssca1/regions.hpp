// The places of one query in main that can still be accepted, in bounded memory, exactly.
//
// Of places that are all 2 separation - 1 apart both in their ends and in their begins, any one place is in conflict
// with two at most, one by its end and one by its begin. So when 2 count of them are there, chosen greedily, `count`
// places that come no later than the last of them will be accepted, and none that comes after it.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/apps/alignment/ssca1/ssca1.hpp"

namespace speedwell::alignment::ssca1 {

class Places {
 public:
  explicit Places(const SimilarRules& rules) : rules_(rules), score_(rules.minimum_score) {}

  /// Places with less are of no use any more.
  std::int32_t least_score() const { return score_; }
  void add(const Place& place) {
    if (place.score < score_) return;
    places_.push_back(place);
    if (places_.size() >= limit_) drop();
  }
  void add(const Places& others) {
    for (const Place& place : others.places_) add(place);
  }
  std::vector<Place> accepted();

 private:
  void drop();

  SimilarRules rules_;
  std::vector<Place> places_;
  std::int32_t score_;
  std::size_t limit_ = 4096;
};

}  // namespace speedwell::alignment::ssca1

// The regions of one query in main that can still be accepted, exactly and in bounded memory.
//
// Among regions whose ends and begins are all 2 separation - 1 apart, any region is in conflict with at most two, one
// by its end and one by its begin. So if the greedy selection with that distance has 2 count of them, `count` regions
// up to the last of them will be accepted, and none after it.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/apps/ssca1/ssca1.hpp"

namespace speedwell::ssca1 {

class RegionList {
 public:
  explicit RegionList(const SimilarRules& rules) : rules_(rules), score_(rules.minimum_score) {}

  /// Regions with a smaller score can be ignored.
  std::int32_t min_score() const { return score_; }
  void add(const SimilarRegion& region) {
    if (region.score < score_) return;
    regions_.push_back(region);
    if (regions_.size() >= limit_) drop();
  }
  void add(const RegionList& others) {
    for (const SimilarRegion& region : others.regions_) add(region);
  }
  std::vector<SimilarRegion> accepted();

 private:
  void drop();

  SimilarRules rules_;
  std::vector<SimilarRegion> regions_;
  std::int32_t score_;
  std::size_t limit_ = 4096;
};

}  // namespace speedwell::ssca1

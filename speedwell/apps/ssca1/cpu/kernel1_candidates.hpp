// The candidates of kernel 1 that can still be accepted, exactly and in bounded memory.
//
// A candidate may be dropped as soon as `count` accepted ones are certain to precede it. It is not enough that so many
// candidates are known that respect the separation: a better candidate found later may be in conflict with two of them.
// But consider a set of candidates with pairwise distances of 2 separation - 1: each of them will be accepted or be in
// conflict with a preceding accepted one, and no accepted one is near enough to two of them. Hence the bound is the
// last of the first `count` candidates chosen greedily with that distance, and at most count (4 separation - 3)^2
// candidates precede it, because each of them is near a chosen one.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <unordered_map>
#include <vector>

#include "speedwell/apps/ssca1/kernel1/kernel1_section.hpp"
#include "speedwell/apps/ssca1/ssca1.hpp"

namespace speedwell::ssca1 {

/// Endpoints with a minimum distance in main and in match; boxes of that size accelerate the test.
class Separation {
 public:
  explicit Separation(std::int64_t distance) : distance_(distance) {}
  /// Inserts the endpoint unless it is in conflict with a previous one.
  bool take(const Endpoint& endpoint);

 private:
  struct Box {
    std::int64_t main, match;
    friend bool operator==(const Box&, const Box&) = default;
  };
  struct Hash {
    std::size_t operator()(const Box& box) const;
  };
  /// Whether this column of boxes may contain an endpoint.
  bool may_have(std::int64_t box_main) const { return filter_[filter_bit(box_main)]; }
  static std::size_t filter_bit(std::int64_t box_main) {
    return static_cast<std::uint64_t>(box_main) * 0x9e3779b97f4a7c15u >> 48;
  }

  std::int64_t distance_;
  std::pmr::monotonic_buffer_resource memory_;  // memory is released only at the end
  std::pmr::unordered_map<Box, Endpoint, Hash> boxes_{&memory_};
  // Endpoints are rare in a long main: most tests end before they access a box.
  std::bitset<1 << 16> filter_;
};

class Candidates {
 public:
  /// Candidates outside the `owned` columns are dropped and not counted.
  explicit Candidates(const EndpointRules& rules, const OwnedColumns& owned = {});

  /// The minimum score of a useful candidate: rules.minimum_score if candidates are counted.
  std::int32_t threshold() const { return rules_.count_candidates ? rules_.minimum_score : kept_score_; }
  void add(const Endpoint& endpoint) {
    if (endpoint.main < owned_.first || endpoint.main > owned_.last) return;
    ++found_;
    keep(endpoint);
  }
  void add(const Candidates& others);
  void clear();
  /// Whether the candidates so far prove that no smaller score can be accepted.
  bool has_enough_from(std::int32_t score);
  Endpoints finish();
  /// The same before the separation, for a merge with those of other sections.
  SectionCandidates of_section();

 private:
  void keep(const Endpoint& endpoint) {
    if (endpoint.score < kept_score_ || (bound_ && comes_before(*bound_, endpoint))) return;
    kept_.push_back(endpoint);
    if (kept_.size() >= limit_) drop();
  }
  void drop();
  std::int64_t separation() const { return rules_.mode == EndpointRules::Mode::peaks ? rules_.separation : 0; }

  EndpointRules rules_;
  OwnedColumns owned_;
  std::vector<Endpoint> kept_;
  std::int64_t found_ = 0;
  std::int32_t kept_score_;
  std::optional<Endpoint> bound_;
  std::size_t limit_;
};

}  // namespace speedwell::ssca1

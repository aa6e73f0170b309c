// The candidates of kernel 1 that can still be accepted, in bounded memory, exactly.
//
// A candidate may be dropped as soon as `count` accepted ones are sure to come before it. That as many candidates are
// there and keep their separation is not enough: one better candidate that turns up later may be in conflict with two
// of them. But a set of candidates of which any two are 2 separation - 1 apart is: every one of them will be accepted
// or be in conflict with an accepted one that comes before it, and no accepted one is near enough to two of them. So
// the bound is the last of the first `count` candidates chosen greedily at that distance, and no more than count (4
// separation - 3)^2 candidates come before it, because each of them lies near a chosen one.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <unordered_map>
#include <vector>

#include "speedwell/apps/alignment/ssca1/ssca1.hpp"

namespace speedwell::alignment::ssca1 {

/// Endpoints of which no two are nearer than `distance` both in main and in match, found by boxes of that size.
class Separation {
 public:
  explicit Separation(std::int64_t distance) : distance_(distance) {}
  /// Takes the endpoint unless it is in conflict with one taken before.
  bool take(const Endpoint& endpoint);

 private:
  struct Box {
    std::int64_t main, match;
    friend bool operator==(const Box&, const Box&) = default;
  };
  struct Hash {
    std::size_t operator()(const Box& box) const;
  };
  /// Whether one in a box of this column of boxes may have been taken.
  bool may_have(std::int64_t box_main) const { return filter_[filter_bit(box_main)]; }
  static std::size_t filter_bit(std::int64_t box_main) {
    return static_cast<std::uint64_t>(box_main) * 0x9e3779b97f4a7c15u >> 48;
  }

  std::int64_t distance_;
  std::pmr::monotonic_buffer_resource memory_;  // nothing is given back before the end
  std::pmr::unordered_map<Box, Endpoint, Hash> boxes_{&memory_};
  // Endpoints are few in a long main: most need no look into the boxes.
  std::bitset<1 << 16> filter_;
};

class Candidates {
 public:
  explicit Candidates(const EndpointRules& rules);

  /// The least score worth looking at: rules.minimum_score if candidates are counted.
  std::int32_t threshold() const { return rules_.count_candidates ? rules_.minimum_score : kept_score_; }
  void add(const Endpoint& endpoint) {
    ++found_;
    keep(endpoint);
  }
  void add(const Candidates& others);
  void clear();
  /// Whether those so far prove that no lesser score can be accepted.
  bool has_enough_from(std::int32_t score);
  Endpoints finish();

 private:
  void keep(const Endpoint& endpoint) {
    if (endpoint.score < kept_score_ || (bound_ && comes_before(*bound_, endpoint))) return;
    kept_.push_back(endpoint);
    if (kept_.size() >= limit_) drop();
  }
  void drop();
  std::int64_t separation() const { return rules_.mode == EndpointRules::Mode::peaks ? rules_.separation : 0; }

  EndpointRules rules_;
  std::vector<Endpoint> kept_;
  std::int64_t found_ = 0;
  std::int32_t kept_score_;
  std::optional<Endpoint> bound_;
  std::size_t limit_;
};

}  // namespace speedwell::alignment::ssca1

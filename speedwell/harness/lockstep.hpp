// Keeps the ranks of a launch at the same place of the experiment: whatever decides how it goes on is decided for all.
// Without ranks, or with one, everything is what this process says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "speedwell/comm/communicator.hpp"

namespace speedwell::harness {

class Lockstep {
 public:
  explicit Lockstep(const comm::Communicator* ranks) : ranks_(ranks && ranks->size() > 1 ? ranks : nullptr) {}

  bool several() const { return ranks_ != nullptr; }
  /// Whether this is the first rank, which judges and tells.
  bool leads() const { return !ranks_ || ranks_->rank() == 0; }

  /// Returns when all ranks have come here.
  void together() const {
    if (ranks_) ranks_->barrier();
  }
  double slowest(double seconds) const { return ranks_ ? ranks_->reduce(seconds, comm::Reduction::maximum) : seconds; }
  bool any(bool mine) const {
    return ranks_ ? ranks_->reduce(std::int64_t{mine}, comm::Reduction::maximum) != 0 : mine;
  }
  /// The first rank's.
  bool first(bool mine) const { return ranks_ ? ranks_->broadcast(mine) : mine; }
  /// The reason of the lowest rank that has one.
  std::optional<std::string> reason(const std::optional<std::string>& mine) const {
    if (!ranks_) return mine;
    for (std::string& text : ranks_->gather(mine.value_or("")))
      if (!text.empty()) return std::move(text);
    return std::nullopt;
  }

 private:
  const comm::Communicator* ranks_;
};

}  // namespace speedwell::harness

// Collective decisions of an experiment on several ranks: whatever determines its course is agreed on by all ranks.
// Without MPI, or on one rank, the functions return their arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "speedwell/comm/communicator.hpp"

namespace speedwell::harness {

class Lockstep {
 public:
  explicit Lockstep(const comm::Communicator* ranks) : ranks_(ranks && ranks->size() > 1 ? ranks : nullptr) {}

  bool is_parallel() const { return ranks_ != nullptr; }
  /// Whether this is rank 0, which verifies and reports.
  bool is_root() const { return !ranks_ || ranks_->rank() == 0; }

  /// Waits until all ranks have called it.
  void barrier() const {
    if (ranks_) ranks_->barrier();
  }
  /// The same while one rank works for a long time: the others sleep.
  void idle_barrier() const {
    if (ranks_) ranks_->idle_barrier();
  }
  double reduce_max(double seconds) const {
    return ranks_ ? ranks_->reduce(seconds, comm::Reduction::maximum) : seconds;
  }
  bool any(bool mine) const {
    return ranks_ ? ranks_->reduce(std::int64_t{mine}, comm::Reduction::maximum) != 0 : mine;
  }
  /// The value of rank 0.
  double broadcast(double mine) const { return ranks_ ? ranks_->broadcast(mine) : mine; }
  bool broadcast(bool mine) const { return ranks_ ? ranks_->broadcast(mine) : mine; }
  /// The reason of the lowest rank that has one; nothing if none has.
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

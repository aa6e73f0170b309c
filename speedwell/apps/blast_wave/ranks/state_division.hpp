// StateDivision: distributes whole states among ranks, each of which has a contiguous range of the points in memory
// order, and collects them.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/parts.hpp"
#include "speedwell/comm/redistribution.hpp"

namespace speedwell::blast_wave {

class StateDivision {
 public:
  /// Where this rank has its points of variable c, 0 to 4.
  using Variable = std::function<std::span<double>(int c)>;

  /// Collective. `points`: the range of each rank, in order, which together are all points of the box. `ranks` must
  /// outlive the object.
  StateDivision(const comm::Communicator& ranks, const Problem& problem, const std::vector<comm::Range>& points);

  /// Collective. Distributes the variables of *whole, which is read on rank 0 only. Throws std::invalid_argument on all
  /// ranks for a state that require_admissible() refuses.
  void scatter(const State* whole, const Variable& own);
  /// Collective. Overwrites extents and variables of *whole, on rank 0 only, with those of all ranks.
  void gather(const Variable& own, State* whole);

 private:
  std::size_t points() const { return static_cast<std::size_t>(problem_.extents.points()); }

  const comm::Communicator& ranks_;
  Problem problem_;
  comm::Redistribution<double> to_ranks_, to_first_;  // a variable at a time, which is contiguous here and there
};

}  // namespace speedwell::blast_wave

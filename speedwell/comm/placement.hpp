// Where the ranks of a communicator are.
#pragma once

#include <string>
#include <vector>

#include "speedwell/comm/communicator.hpp"

namespace speedwell::comm {

struct Placement {
  int rank = 0;
  std::string host;
  int local_rank = 0;  // among the ranks of its host
  std::string cores;   // logical processors that it may run on: "0-3,8"
};

std::string host_name();

/// Collective. All ranks, in order, on every rank.
std::vector<Placement> placement(const Communicator& ranks);

}  // namespace speedwell::comm

// Hosts, cores and local ranks of the ranks of a communicator.
#pragma once

#include <string>
#include <vector>

#include "speedwell/comm/communicator.hpp"

namespace speedwell::comm {

struct Placement {
  int rank = 0;
  std::string host;
  int local_rank = 0;    // rank among those of its host
  std::string cores;     // hardware threads that it may run on: "0-3,8"
  std::string gpu = {};  // UUID of the GPU that it drives; empty: none
};

std::string host_name();

/// Collective. The placement of all ranks, in order, on every rank.
std::vector<Placement> placement(const Communicator& ranks);

}  // namespace speedwell::comm

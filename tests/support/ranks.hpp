// For tests that all ranks of a launch run together (ranks_main.cpp).
#pragma once

#include <array>
#include <cstdlib>
#include <vector>

#include "speedwell/comm/environment.hpp"

namespace speedwell::test {

/// All ranks of the launch.
const comm::Communicator& ranks();
inline bool is_root() { return ranks().rank() == 0; }

/// Ranks exchange messages of MPI while it exists, also where they can share memory.
struct InMessages {
  InMessages() { setenv("SPEEDWELL_SHARED_MEMORY", "off", 1); }
  InMessages(const InMessages&) = delete;
  InMessages& operator=(const InMessages&) = delete;
  ~InMessages() { unsetenv("SPEEDWELL_SHARED_MEMORY"); }
};

/// Numbers of ranks along x, y and z that the ranks of the launch can form; 0 for the chosen ones.
inline std::vector<std::array<int, 3>> rank_grids() {
  const int n = ranks().size();
  std::vector<std::array<int, 3>> all{{0, 0, 0}, {1, 1, n}, {1, n, 1}, {n, 1, 1}};
  if (n % 2 == 0) all.push_back({2, 1, n / 2});
  if (n == 8) all.push_back({2, 2, 2});
  return all;
}

}  // namespace speedwell::test

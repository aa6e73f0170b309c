// Ranks of tests on GPUs: each takes one of its host's, and several share one if there are too few.
#pragma once

#include "speedwell/comm/placement.hpp"
#include "speedwell/core/cuda.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::test {

/// Collective. Makes the GPU of this rank current; false if some rank has none.
inline bool set_device_of_rank() {
  const int devices = core::device_count();
  if (ranks().reduce(std::int64_t{devices}, comm::Reduction::minimum) == 0) return false;
  const auto all = comm::placement(ranks());
  core::check(cudaSetDevice(all[static_cast<std::size_t>(ranks().rank())].local_rank % devices));
  return true;
}

}  // namespace speedwell::test

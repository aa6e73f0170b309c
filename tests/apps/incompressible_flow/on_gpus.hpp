// For tests of a flow that is divided into slabs on several GPUs, which ranks may share. They are repeated for each
// transport between GPUs; those of a transport that is missing are skipped.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "speedwell/apps/incompressible_flow/distributed.hpp"
#include "speedwell/apps/incompressible_flow/gpu_distributed.hpp"
#include "tests/apps/incompressible_flow/cases.hpp"
#include "tests/support/device_ranks.hpp"

namespace speedwell::incompressible_flow {

class OnTransport : public testing::TestWithParam<comm::Transport> {
 protected:
  void SetUp() override {
    if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
    if (const auto reason = comm::transport_missing(test::ranks(), GetParam())) GTEST_SKIP() << *reason;
  }
};

/// The transport as part of a test's name, which cannot have a hyphen.
inline std::string transport_name(const testing::TestParamInfo<comm::Transport>& tested) {
  std::string name(to_string(tested.param));
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

/// Whether to test fewer solvers with this transport: each exchange of a solver initialises a communicator of NCCL,
/// which takes long.
inline bool is_slow_to_begin(comm::Transport transport) { return transport == comm::Transport::nccl; }

/// Whether DistributedGpuSolver supports the problem, with at least one plane per rank.
inline bool is_supported(const Problem& p, const Options& options) {
  return !refuses_on_gpus(p, options) && planes_to_divide(p, options) >= test::ranks().size();
}

}  // namespace speedwell::incompressible_flow

// For tests of a flow on slabs of several GPUs, which ranks may share, by every transport that is here.
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

inline std::string transport_name(const testing::TestParamInfo<comm::Transport>& tested) {
  std::string name(to_string(tested.param));
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

/// NCCL takes long to begin, once for each exchange of a solver.
inline bool is_slow_to_begin(comm::Transport transport) { return transport == comm::Transport::nccl; }

inline bool is_supported(const Problem& p, const Options& options) {
  return !refuses_on_gpus(p, options) && planes_to_divide(p, options) >= test::ranks().size();
}

}  // namespace speedwell::incompressible_flow

// For tests that all ranks of a launch run together (ranks_main.cpp).
#pragma once

#include "speedwell/comm/environment.hpp"

namespace speedwell::test {

/// All ranks of the launch.
const comm::Communicator& ranks();

}  // namespace speedwell::test

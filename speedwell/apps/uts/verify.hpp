// The verdict on counts.
#pragma once

#include <string>

#include "speedwell/apps/uts/tree.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::uts {

/// Exact: how many of nodes, leaves and depth differ; none may. `oracle` says where the expected ones are from.
core::Verdict verify(const Counts& expected, const Counts& got, std::string oracle);

}  // namespace speedwell::uts

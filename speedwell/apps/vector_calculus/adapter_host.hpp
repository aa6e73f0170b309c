// The runs in host memory.
#pragma once

#include "speedwell/apps/vector_calculus/adapter_case.hpp"

namespace speedwell::vector_calculus {

/// unfused: a chain's operations one after the other, with fields between them.
enum class HostWay { serial, cores, unfused };

harness::Variant::Make make_host_run(HostWay way);

}  // namespace speedwell::vector_calculus

// The runs in host memory.
#pragma once

#include "speedwell/apps/vector_calculus/adapter_case.hpp"

namespace speedwell::vector_calculus {

/// unfused: a chain's operations one after the other, with fields between them.
enum class HostMethod { serial, cores, unfused };

harness::Variant::Make make_host_run(HostMethod method);

}  // namespace speedwell::vector_calculus

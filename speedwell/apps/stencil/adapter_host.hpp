// The runs in host memory.
#pragma once

#include "speedwell/apps/stencil/adapter_case.hpp"

namespace speedwell::stencil {

/// serial: cell by cell, row by row, on one thread. best: the best of each kernel. planes, blocks: the study's ways to
/// divide a product. ell: spmv by slices.
enum class HostWay { serial, best, planes, blocks, ell };

harness::Variant::Make make_host_run(HostWay way);

}  // namespace speedwell::stencil

// The runs in host memory.
#pragma once

#include "speedwell/apps/stencil/adapter_case.hpp"

namespace speedwell::stencil {

/// serial: cell by cell, row by row, on one thread. best: the best of each kernel. planes, blocks: the study's ways to
/// divide a product. ell, dia, bsr: spmv by slices, diagonals, blocks. mixed: cg in float, corrected in double.
/// textbook: cg in three passes. stages:
/// the study's sum.
enum class HostMethod { serial, best, planes, blocks, ell, dia, bsr, mixed, textbook, stages };

harness::Variant::Make make_host_run(HostMethod method);
/// Of kernel sum.
harness::Variant::Make make_host_sum(HostMethod method);

}  // namespace speedwell::stencil

// The solvers in host memory.
#pragma once

#include "speedwell/apps/stencil/adapter_workload.hpp"

namespace speedwell::stencil {

/// serial: cell by cell or row by row, on one thread. best: the best method of each kernel. planes, blocks: the study's
/// divisions of a product. ell, dia, bsr: spmv in sliced ELL, diagonals, dense blocks. mixed: cg in float, corrected in
/// double. textbook: cg in three passes. stages: the study's sum.
enum class HostMethod { serial, best, planes, blocks, ell, dia, bsr, mixed, textbook, stages };

harness::Variant::Make host_solver(HostMethod method);

}  // namespace speedwell::stencil

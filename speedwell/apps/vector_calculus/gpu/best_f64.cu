// gpu_apply() of best.hpp for double: a file for each precision, so that they compile in parallel.
#include "speedwell/apps/vector_calculus/gpu/best.hpp"

namespace speedwell::vector_calculus {
template void gpu_apply(Operation, Layout, const Operands<double>&, double*, const core::Stream&);
template void gpu_apply(DistributedGpuGrid&, Operation, Layout, const Operands<double>&, double*, const core::Stream&,
                        HaloUpdate);
template void gpu_prepare(DistributedGpuGrid&, Operation, Layout, const Operands<double>&);
}  // namespace speedwell::vector_calculus

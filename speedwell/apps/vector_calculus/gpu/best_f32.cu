// gpu_apply() of best.hpp for float: a file for each precision, so that they compile in parallel.
#include "speedwell/apps/vector_calculus/gpu/best.hpp"

namespace speedwell::vector_calculus {
template void gpu_apply(Operation, Layout, const Operands<float>&, float*, const core::Stream&);
template void gpu_apply(DistributedGpuGrid&, Operation, Layout, const Operands<float>&, float*, const core::Stream&,
                        HaloUpdate);
template void gpu_prepare(DistributedGpuGrid&, Operation, Layout, const Operands<float>&);
}  // namespace speedwell::vector_calculus

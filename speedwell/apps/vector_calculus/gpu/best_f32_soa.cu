// The kernels behind gpu_apply() for float and vectors whose components are three arrays one behind the other
// (Layout::soa), one kernel for each operation. The other three combinations of precision and layout have a file each,
// so that they compile in parallel (best_planes.hpp).
#include "speedwell/apps/vector_calculus/gpu/best_planes_kernels.hpp"

namespace speedwell::vector_calculus::device {
template void apply_to_planes<Layout::soa>(Operation, const Operands<float>&, float*, const PlaneRange<float>&,
                                           const core::Stream&);
}  // namespace speedwell::vector_calculus::device

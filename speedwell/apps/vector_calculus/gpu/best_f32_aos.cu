// The kernels behind gpu_apply() for float and vectors whose components are next to each other (Layout::aos); see
// best_f32_soa.cu.
#include "speedwell/apps/vector_calculus/gpu/best_planes_kernels.hpp"

namespace speedwell::vector_calculus::device {
template void apply_to_planes<Layout::aos>(Operation, const Operands<float>&, float*, const PlaneRange<float>&,
                                           const core::Stream&);
}  // namespace speedwell::vector_calculus::device

// The kernels behind gpu_apply() for double and vectors whose components are three arrays one behind the other
// (Layout::soa); see best_f32_soa.cu.
#include "speedwell/apps/vector_calculus/gpu/best_planes_kernels.hpp"

namespace speedwell::vector_calculus::device {
template void apply_to_planes<Layout::soa>(Operation, const Operands<double>&, double*, const PlaneRange<double>&,
                                           const core::Stream&);
}  // namespace speedwell::vector_calculus::device

#include "speedwell/apps/vector_calculus/gpu/best.hpp"

namespace speedwell::vector_calculus {
template void gpu_apply(Operation, Layout, const Operands<float>&, float*, const core::Stream&);
}

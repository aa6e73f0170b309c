// In a build with CUDA and without cuSPARSE: its rows stay as they are, not built.
#include "speedwell/apps/stencil/adapter_device.hpp"

namespace speedwell::stencil {

std::vector<harness::Binding> cusparse_runs() { return {}; }

}  // namespace speedwell::stencil

// In a build without CUDA: there is no GPU to measure on.
#include "speedwell/apps/wavefront/adapter_projection.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::wavefront {

double seconds_on_gpu(const Settings&, const Extents&, int) {
  throw core::Unavailable("no GPU to measure on: built without CUDA");
}

}  // namespace speedwell::wavefront

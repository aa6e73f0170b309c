#include "speedwell/apps/binary_fluid/stepper.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::binary_fluid {

std::optional<std::string> lacks_gpu() { return "this build has no CUDA"; }

std::unique_ptr<Stepper> stepper_on_gpu(const Problem&, Precision) {
  throw core::Unavailable("a binary fluid on a GPU: " + *lacks_gpu());
}

}  // namespace speedwell::binary_fluid

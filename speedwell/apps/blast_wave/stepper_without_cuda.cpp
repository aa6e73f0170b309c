#include "speedwell/apps/blast_wave/stepper.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::blast_wave {

std::optional<std::string> lacks_gpu() { return "this build has no CUDA"; }

std::unique_ptr<Stepper> stepper_on_gpu(const Problem&, int) {
  throw core::Unavailable("a blast on a GPU: " + *lacks_gpu());
}

}  // namespace speedwell::blast_wave

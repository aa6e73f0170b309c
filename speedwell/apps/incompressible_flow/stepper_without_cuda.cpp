#include "speedwell/apps/incompressible_flow/stepper.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::incompressible_flow {

std::optional<std::string> lacks_gpu() { return "this build has no CUDA"; }

template <class T>
std::unique_ptr<Stepper<T>> stepper_on_gpu(const Problem&, const Options&) {
  throw core::Unavailable("a flow on a GPU: " + *lacks_gpu());
}

template std::unique_ptr<Stepper<float>> stepper_on_gpu(const Problem&, const Options&);
template std::unique_ptr<Stepper<double>> stepper_on_gpu(const Problem&, const Options&);

}  // namespace speedwell::incompressible_flow

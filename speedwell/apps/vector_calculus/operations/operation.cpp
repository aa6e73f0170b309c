#include "speedwell/apps/vector_calculus/operations/operation.hpp"

namespace speedwell::vector_calculus {
namespace {

using enum Operation;
constexpr ChainStep flux_steps[] = {{fscale, 'f', 'a', 't'}, {div, 't', 0, 'o'}};
constexpr ChainStep laplacian_steps[] = {{grad, 'f', 0, 't'}, {div, 't', 0, 'o'}};
constexpr ChainStep curl_grad_steps[] = {{grad, 'f', 0, 't'}, {curl, 't', 0, 'o'}};
constexpr ChainStep area_steps[] = {{cross, 'a', 'b', 't'}, {norm2, 't', 0, 'o'}};
constexpr ChainStep lorentz_steps[] = {{curl, 'a', 0, 't'}, {cross, 't', 'a', 'o'}};
constexpr ChainStep helicity_steps[] = {{curl, 'a', 0, 't'}, {cross, 't', 'a', 'u'}, {dot, 'u', 'b', 'o'}};
constexpr ChainStep momentum_steps[] = {{curl, 'a', 0, 't'},      {cross, 't', 'a', 'u'},    {scale, 'u', 0, 't', 1},
                                        {grad, 'f', 0, 'w'},      {axpy, 't', 'w', 'u', -1}, {fscale, 'g', 'b', 't'},
                                        {axpy, 'u', 't', 'o', -1}};

}  // namespace

std::span<const ChainStep> steps_of_chain(Operation operation) {
  switch (operation) {
    case flux:
      return flux_steps;
    case laplacian:
      return laplacian_steps;
    case curl_grad:
      return curl_grad_steps;
    case area:
      return area_steps;
    case lorentz:
      return lorentz_steps;
    case helicity:
      return helicity_steps;
    case momentum:
      return momentum_steps;
    default:
      return {};
  }
}

}  // namespace speedwell::vector_calculus

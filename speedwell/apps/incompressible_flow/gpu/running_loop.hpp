// The loop of the conjugate gradient solvers, which goes on while their scalars in device memory say so.
#pragma once

#include "speedwell/core/cuda.hpp"
#include "speedwell/numerics/loop_graph.hpp"

namespace speedwell::incompressible_flow::gpu {

template <class Scalars>
__global__ void set_loop_condition(const Scalars* scalars, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, scalars->running ? 1u : 0u);
}

/// Records iterate(), which enqueues an iteration on `stream`, as the body of a loop while scalars->running.
template <class Scalars, class Iterate>
numerics::LoopGraph loop_while_running(const Scalars* scalars, const core::Stream& stream, const Iterate& iterate) {
  const auto decide = [&](cudaGraphConditionalHandle handle) {
    set_loop_condition<<<1, 1, 0, stream.get()>>>(scalars, handle);
    core::check(cudaGetLastError());
  };
  return numerics::LoopGraph(stream, decide, [&](cudaGraphConditionalHandle handle) {
    iterate();
    decide(handle);
  });
}

}  // namespace speedwell::incompressible_flow::gpu
